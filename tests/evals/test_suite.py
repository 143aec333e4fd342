"""Many runs: their order, and going on after an interruption."""

from collections.abc import Callable
from pathlib import Path

import pytest
from evals.records import Record, read
from evals.running import Plan
from evals.suite import folder_of, open_runs, plans, run_all
from evals.tasks import Task, load_tasks, select
from evals.variants import VARIANTS, settings_of

from roomcode.config import load

Make = Callable[..., Record]

TASKS = select(load_tasks(), ("make-counter", "make-tabs"))
ROWS = [("everything", {}), ("no-hints", {"ROOMCODE_SWITCHES_HINTS": "false"})]


def test_all_variants_of_a_seed_come_before_the_next_seed() -> None:
    made = [(plan.model, plan.seed, plan.variant) for plan in plans(["m"], ROWS, [1, 2])]
    assert made == [("m", 1, "everything"), ("m", 1, "no-hints"), ("m", 2, "everything"), ("m", 2, "no-hints")]


def test_what_has_been_run_is_not_run_again(record: Make) -> None:
    done = [record("make-tabs", seed=1), record("make-counter", seed=2, variant="no-hints"), record("other")]
    todo = open_runs(TASKS, plans(["m"], ROWS, [1, 2]), done)
    assert len(todo) == 6
    assert ("make-tabs", 1, "everything") not in [(task.name, plan.seed, plan.variant) for task, plan in todo]
    assert open_runs(TASKS, plans(["n"], ROWS, [1, 2]), done)[0][1].model == "n"


async def test_an_interrupted_suite_goes_on_where_it_was(tmp_path: Path, record: Make) -> None:
    results, ran = tmp_path / "results.jsonl", []

    async def run_one(task: Task, plan: Plan) -> Record:
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append((task.name, plan.seed, plan.variant))
        return record(task.name, seed=plan.seed, variant=plan.variant)

    def todo() -> list[tuple[Task, Plan]]:
        return open_runs(TASKS, plans(["m"], ROWS, [1]), read(results))

    with pytest.raises(KeyboardInterrupt):
        await run_all(todo(), results, run_one)
    assert len(read(results)) == 3
    last = todo()
    assert len(last) == 1
    ran.clear()
    told: list[int] = []
    records = await run_all(last, results, run_one, lambda progress: told.append(progress.number))
    assert len(records) == 4
    assert told == [1]
    assert todo() == []


def test_folders_of_models_and_variants_do_not_meet(tmp_path: Path) -> None:
    plain = Plan("/models/a b.gguf", 1)
    assert folder_of(tmp_path, plain).parent == tmp_path
    names = {folder_of(tmp_path, plan).name for plan in (plain, Plan("m", 1), Plan("m", 1, "plain"), Plan("", 1))}
    assert len(names) == 4


@pytest.mark.parametrize("variant", list(VARIANTS))
def test_the_variables_of_a_variant_are_settings_of_roomcode(tmp_path: Path, variant: str) -> None:
    settings = settings_of(variant, {})
    resolved = load(None, {"ROOMCODE_CONFIG": str(tmp_path / "none"), **settings})
    assert resolved.warnings == ()
    changed = {key for key, origin in resolved.origins.items() if origin.startswith("ROOMCODE_")}
    assert len(changed) == len(settings)
    assert (variant == "everything") == (not changed)
    switched_off = [key for key in changed if key.startswith("switches.")]
    assert not any(resolved.value(key) for key in switched_off)
