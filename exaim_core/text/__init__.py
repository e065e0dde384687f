"""Text as agents stream it: released chunks, blocks, sentences, quantities, names. Knows no medicine."""
