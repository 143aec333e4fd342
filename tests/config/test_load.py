"""Settings: later places win, and wrong ones are named in one sentence."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roomcode.config import DEFAULT, ConfigError, Resolved, Settings, Switches, keys, load, user_config_path


@pytest.fixture
def places(tmp_path: Path) -> tuple[Path, Path]:
    """The user's config file and the project's, not there yet; their folders are."""
    user, project = tmp_path / "user" / "config.toml", tmp_path / "project" / ".roomcode" / "config.toml"
    user.parent.mkdir()
    project.parent.mkdir(parents=True)
    return user, project


def resolve(
    places: tuple[Path, Path],
    user: str | None = None,
    project: str | None = None,
    environ: dict[str, str] | None = None,
    flags: dict[str, Any] | None = None,
) -> Resolved:
    for path, text in zip(places, (user, project), strict=True):
        if text is not None:
            path.write_text(text)
    return load(places[1].parent.parent, {"ROOMCODE_CONFIG": str(places[0])} | (environ or {}), flags)


def test_without_anything_the_defaults_hold(places: tuple[Path, Path]) -> None:
    resolved = resolve(places)
    assert resolved.settings == Settings()
    assert set(resolved.origins.values()) == {DEFAULT}
    assert (resolved.files, resolved.warnings) == ((), ())
    settings = resolved.settings
    assert (settings.mode, settings.form, settings.max_steps, settings.network) == ("ask", "auto", 30, False)
    assert settings.switches == Switches()


def test_each_place_wins_over_the_ones_before(places: tuple[Path, Path]) -> None:
    texts = {
        "user": "max_steps = 1\nseed = 1\ncontext = 1\nthreads = 1",
        "project": "seed = 2\ncontext = 2\nthreads = 2",
    }
    resolved = resolve(
        places,
        texts["user"],
        texts["project"],
        {"ROOMCODE_CONTEXT": "3", "ROOMCODE_THREADS": "3"},
        {"threads": 4, "model": None},
    )
    settings = resolved.settings
    assert (settings.max_steps, settings.seed, settings.context, settings.threads) == (1, 2, 3, 4)
    assert [resolved.origins[key] for key in ("max_steps", "seed", "context", "threads", "model")] == [
        str(places[0]),
        str(places[1]),
        "ROOMCODE_CONTEXT",
        "--threads",
        DEFAULT,
    ]
    assert resolved.files == places


def test_every_kind_of_value_can_be_written_in_a_file(places: tuple[Path, Path]) -> None:
    resolved = resolve(
        places,
        'model = "x"\nform = "xml"\napprove = ["docs/**", "*.md"]\ntemperature = 1\nnetwork = true\n'
        "[switches]\nhints = false\n",
    )
    settings = resolved.settings
    assert (settings.model, settings.form, settings.network) == ("x", "xml", True)
    assert settings.approve == ("docs/**", "*.md")
    assert settings.temperature == 1.0
    assert not settings.switches.hints
    assert settings.switches.repairs
    assert resolved.value("switches.hints") is False
    assert resolved.origins["switches.hints"] == str(places[0])


def test_every_kind_of_value_can_be_given_in_the_environment(places: tuple[Path, Path]) -> None:
    environ = {
        "ROOMCODE_NETWORK": "Yes",
        "ROOMCODE_SWITCHES_REPAIRS": "off",
        "ROOMCODE_APPROVE": "docs/**, *.md",
        "ROOMCODE_TEMPERATURE": "0.5",
        "ROOMCODE_MODE": "auto",
        "ROOMCODE_MODEL": "",
    }
    settings = resolve(places, environ=environ).settings
    assert (settings.network, settings.switches.repairs, settings.mode, settings.model) == (True, False, "auto", "")
    assert (settings.approve, settings.temperature) == (("docs/**", "*.md"), 0.5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("max_stpes = 3", "there is no setting 'max_stpes' (did you mean max_steps?)"),
        ("hints = false", "there is no setting 'hints' (did you mean switches.hints?)"),
        ("[switches]\nhint = false", "there is no setting 'switches.hint' (did you mean switches.hints?)"),
        ("[zzz]\nqqq = 1", "there is no setting 'zzz.qqq'; `roomcode config` lists them"),
        ("max_steps = 0", "max_steps must be a whole number, 1 or more, not 0"),
        ('max_steps = "5"', "max_steps must be a whole number, 1 or more, not '5'"),
        ("max_steps = true", "max_steps must be a whole number, 1 or more, not true"),
        ('form = "yaml"', "form must be one of auto, xml, json, not 'yaml'"),
        ("network = 1", "network must be true or false, not 1"),
        ('approve = "docs/**"', "approve must be a list of path patterns, not 'docs/**'"),
        ("approve = [1]", "approve must be a list of path patterns, not [1]"),
        ("temperature = -1.0", "temperature must be a number from 0 to 5, not -1.0"),
        ("temperature = nan", "temperature must be a number from 0 to 5, not nan"),
        ('engine = "gpt"', "engine must be llama or scripted:FILE, not 'gpt'"),
        ("model = 5", "model must be a name or a path, not 5"),
        ("switches = true", "there is no setting 'switches'"),
        ("max_steps = ", "is not valid TOML: invalid value (at end of document)"),
        ("model = 'a'\nmodel = 'b'", "is not valid TOML"),
    ],
)
def test_a_wrong_line_is_one_sentence_with_the_file(places: tuple[Path, Path], text: str, said: str) -> None:
    for number, path in enumerate(places):
        with pytest.raises(ConfigError) as caught:
            resolve(places, *(text if number == where else "" for where in (0, 1)))
        message = str(caught.value)
        assert message.startswith(str(path))
        assert said in message
        assert message.endswith(".")
        assert "\n" not in message


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("ROOMCODE_MAX_STEPS", "many", "max_steps must be a whole number, 1 or more, not 'many'"),
        ("ROOMCODE_NETWORK", "maybe", "network must be true or false, not 'maybe'"),
        ("ROOMCODE_TEMPERATURE", "inf", "temperature must be a number from 0 to 5, not 'inf'"),
        ("ROOMCODE_FORM", "XML", "form must be one of auto, xml, json, not 'XML'"),
    ],
)
def test_a_wrong_variable_is_one_sentence(places: tuple[Path, Path], variable: str, value: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve(places, environ={variable: value})
    assert str(caught.value) == f"{variable} in the environment: {said}."


def test_a_wrong_flag_names_the_flag(places: tuple[Path, Path]) -> None:
    with pytest.raises(ConfigError, match="--max-steps: max_steps must be a whole number"):
        resolve(places, flags={"max_steps": 0})


def test_a_typing_mistake_in_the_environment_is_warned_of_and_foreign_names_are_left_alone(
    places: tuple[Path, Path],
) -> None:
    resolved = resolve(places, environ={"ROOMCODE_MAXSTEPS": "3", "ROOMCODE_MODELS": "/m", "ROOMCODE_OF_HORRORS": "1"})
    assert resolved.warnings == (
        "ROOMCODE_MAXSTEPS in the environment is not a setting: did you mean ROOMCODE_MAX_STEPS?",
    )


def test_a_project_that_loosens_the_rules_is_never_silent(places: tuple[Path, Path]) -> None:
    text = 'mode = "auto"\napprove = ["**"]\nnetwork = true\nmax_steps = 5'
    assert resolve(places, user=text).warnings == ()
    warnings = resolve(places, "", text).warnings
    assert len(warnings) == 3
    assert all(warning.startswith(str(places[1])) for warning in warnings)
    assert "without asking (mode)" in warnings[0]
    assert "change ** without asking" in warnings[1]


def test_files_that_cannot_be_read_are_named(places: tuple[Path, Path]) -> None:
    places[0].write_bytes(b"model = '\xff'")
    with pytest.raises(ConfigError, match="is not UTF-8 text"):
        resolve(places)
    places[0].unlink()
    places[0].mkdir()
    with pytest.raises(ConfigError, match=r"cannot be read \(is a directory\)"):
        resolve(places)


def test_a_file_in_place_of_the_projects_folder_is_no_config(tmp_path: Path) -> None:
    (tmp_path / ".roomcode").write_text("x")
    assert load(tmp_path, {"ROOMCODE_CONFIG": str(tmp_path / "none")}).files == ()


def test_the_users_file_is_in_the_config_folder() -> None:
    assert user_config_path({"ROOMCODE_CONFIG": "~/c.toml"}) == Path.home() / "c.toml"
    assert user_config_path({}).name == "config.toml"
    assert "roomcode" in str(user_config_path({}))


def test_every_setting_says_what_it_is_for_and_what_it_takes() -> None:
    for key in keys().values():
        assert key.description, key.name
        assert key.expected, key.name
        assert key.variable.startswith("ROOMCODE_")
    assert len({key.variable for key in keys().values()}) == len(keys())


@given(name=st.sampled_from(sorted(keys())), text=st.text(max_size=200))
def test_no_text_in_the_environment_does_worse_than_a_sentence(name: str, text: str) -> None:
    variable = keys()[name].variable
    message = f"{variable} in the environment: {name} must be x."
    try:
        load(None, {"ROOMCODE_CONFIG": "/nonexistent/config.toml", variable: text})
    except ConfigError as error:
        message = str(error)
    assert message.startswith(f"{variable} in the environment: {name} must be ")
    assert message.endswith(".")
    assert "\n" not in message
