-- Gives {'<number of the move>:<clause>:<utterance id>'}, or {''}.
return {redis.call('HGET', HEADS, 'clause') or ''}
