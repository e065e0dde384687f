"""`exaim mdagents`: MDAgents over a data set; `merge` and `score` for what it has written."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from app import exits
from app.console import complain, say

mdagents = typer.Typer(
    help="Work through medical questions with agents that fit themselves to each one's difficulty (docs/mdagents.md).",
    invoke_without_command=True,
    no_args_is_help=True,
    rich_markup_mode=None,
)


@mdagents.callback()
def run(
    context: typer.Context,
    dataset: Annotated[
        str, typer.Option(help="A file of JSON lines, or a name: data/NAME/test.jsonl.")
    ] = "exaim60",
    model: Annotated[
        str, typer.Option(help="A model's name, or `scripted` for a try without a key.")
    ] = "scripted",
    difficulty: Annotated[
        str,
        typer.Option(help="adaptive, basic, intermediate or advanced; low, moderate, high mean the same."),
    ] = "adaptive",
    num_samples: Annotated[
        int, typer.Option("--num_samples", "--num-samples", min=1, help="How many rows.")
    ] = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run; what failed is asked again.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Begin anew; what is there is removed.")] = False,
    rounds: Annotated[int, typer.Option(help="Rounds of a debate at most, 1 to 5.")] = 5,
    turns: Annotated[int, typer.Option(help="Turns of a round at most, 1 to 5.")] = 5,
    experts: Annotated[int, typer.Option(help="Experts of a debate, 2 to 7.")] = 5,
    fewshot: Annotated[int, typer.Option(help="Examples from train.jsonl that the basic tier is shown.")] = 0,
    seed: Annotated[int, typer.Option(help="Draws the options' order and the examples.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, max=512, help="Samples at once.")] = 8,
    budget: Annotated[
        int | None, typer.Option(min=1, help="Tokens after which no new sample is begun.")
    ] = None,
    shard: Annotated[str, typer.Option(help="k/n: this machine's part of several; then `merge`.")] = "1/1",
    output: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("output"),
    shape: Annotated[
        str | None,
        typer.Option(help="medqa, pubmedqa, medbullets, jama, ddxplus or symcat.  [by the fields]"),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", help="A service of your own that speaks OpenAI's protocol.")
    ] = None,
    structured: Annotated[
        str | None, typer.Option(help="json_schema, function_calling, json_mode or text.  [the provider's]")
    ] = None,
    model_of: Annotated[
        list[str] | None,
        typer.Option("--model-of", help="ROLE=MODEL, as moderator=gpt-4o-mini; again for others."),
    ] = None,
    prices: Annotated[
        str | None, typer.Option(help="IN,OUT for a million tokens, to see what it costs.")
    ] = None,
    images: Annotated[
        bool | None,
        typer.Option("--images/--no-images", help="The model takes images.  [as the model says of itself]"),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="A line for each sample.")] = False,
) -> None:
    """Work through a data set."""
    if context.invoked_subcommand is not None:
        return
    from agents.teams.mdagents.settings import Settings, tier_of
    from app import mdagents_run  # here, so that `exaim up` does not wait for these imports

    with _complaining():
        settings = Settings(
            tier=tier_of(difficulty), rounds=rounds, turns=turns, experts=experts, fewshot=fewshot
        )
        asked = mdagents_run.BatchOptions(
            dataset=dataset,
            model=model,
            settings=settings,
            num_samples=num_samples,
            seed=seed,
            shape=shape,
            shard=mdagents_run.shard_of(shard),
            output=output,
            resume=resume,
            fresh=fresh,
            concurrency=concurrency,
            budget=budget,
            base_url=base_url,
            structured=structured,
            models_by_role=mdagents_run.by_role(model_of or ()),
            prices=mdagents_run.prices_of(prices),
            verbose=verbose,
            images=images,
        )
        try:
            ended = asyncio.run(mdagents_run.run(asked, say=say))
        except KeyboardInterrupt:
            say("stopped; what is done is saved, --resume goes on with it")
            raise typer.Exit(130) from None
    raise typer.Exit(exits.Exit.STOPPED if ended else exits.Exit.CHECK_FAILED)


@mdagents.command()
def merge(
    shards: Annotated[list[Path], typer.Argument(help="The result files of all shards.")],
    output: Annotated[Path, typer.Option(help="Folder of the results.")] = Path("output"),
) -> None:
    """Put the shards of a run together, as if it had been one."""
    from agents.teams.mdagents.results import merged
    from app.mdagents_run import made_folder, write_reports

    with _complaining():
        made_folder(output)
        path = merged(shards, output)
        write_reports(path)
        say(f"{path}")


@mdagents.command()
def score(
    first: Annotated[Path, typer.Argument(help="A run's result file.")],
    second: Annotated[Path | None, typer.Argument(help="Another run, to be compared with.")] = None,
) -> None:
    """Say how many answers are right, with 95 % intervals; with two runs, whether they differ."""
    from agents.teams.mdagents.results import read_rows
    from agents.teams.mdagents.scoring import compared, compared_lines, score_lines, scored

    with _complaining():
        rows = {path: read_rows(path) for path in (first, second) if path is not None}
        for path, each in rows.items():
            say("\n".join([path.name, *score_lines(scored(each))]))
        if second is not None:
            say("\n".join(compared_lines(compared(rows[first], rows[second]))))


@contextmanager
def _complaining() -> Iterator[None]:
    from agents.teams.mdagents.errors import DatasetError, MDAgentsError, NoDataset, SaveFailed
    from chat_models.errors import LLMError
    from infra.settings import SettingsError

    try:
        yield
    except NoDataset as error:
        raise typer.Exit(complain(str(error), exits.Exit.SETTINGS)) from None
    except (SaveFailed, DatasetError) as error:
        raise typer.Exit(complain(str(error), exits.Exit.CHECK_FAILED)) from None
    except (MDAgentsError, LLMError, SettingsError) as error:
        raise typer.Exit(complain(str(error), exits.Exit.SETTINGS)) from None
