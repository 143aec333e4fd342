"""The app's own themes, one for dark and one for light terminals."""

from collections.abc import Mapping

from textual.theme import Theme

__all__ = ["DARK", "LIGHT", "TERMINAL", "fitting_theme", "own_themes"]

DARK = "roomcode"
LIGHT = "roomcode-light"
TERMINAL = "ansi-dark"
"""The terminal's own 16 colours; what is used without colour."""


def own_themes() -> tuple[Theme, ...]:
    """To be registered when the app starts."""
    return (
        Theme(
            name=DARK,
            dark=True,
            primary="#7aa2f7",
            secondary="#7dcfff",
            accent="#bb9af7",
            success="#9ece6a",
            warning="#e0af68",
            error="#f7768e",
            foreground="#c8cede",
            background="#14161d",
            surface="#1c1f29",
            panel="#242836",
            variables={
                "code-keyword": "#bb9af7",
                "code-string": "#9ece6a",
                "code-number": "#ff9e64",
                "code-name": "#7aa2f7",
                "code-tag": "#7dcfff",
                "block-cursor-background": "#7aa2f7",
                "block-cursor-foreground": "#14161d",
                "input-selection-background": "#7aa2f7 40%",
                "scrollbar": "#343a4d",
                "scrollbar-hover": "#465070",
                "scrollbar-active": "#7aa2f7",
                "scrollbar-background": "#14161d",
                "scrollbar-background-hover": "#14161d",
                "scrollbar-background-active": "#14161d",
            },
        ),
        Theme(
            name=LIGHT,
            dark=False,
            primary="#2f5fc4",
            secondary="#0b7a96",
            accent="#7a42bf",
            success="#3d7a1e",
            warning="#96600c",
            error="#c0304d",
            foreground="#2b303b",
            background="#fbfbfa",
            surface="#f0f0ed",
            panel="#e4e4e0",
            variables={
                "code-keyword": "#7a42bf",
                "code-string": "#3d7a1e",
                "code-number": "#a8500f",
                "code-name": "#2f5fc4",
                "code-tag": "#0b7a96",
                "block-cursor-background": "#2f5fc4",
                "block-cursor-foreground": "#ffffff",
                "scrollbar": "#cfcfc9",
                "scrollbar-hover": "#b4b4ad",
                "scrollbar-active": "#2f5fc4",
                "scrollbar-background": "#fbfbfa",
                "scrollbar-background-hover": "#fbfbfa",
                "scrollbar-background-active": "#fbfbfa",
            },
        ),
    )


def fitting_theme(environ: Mapping[str, str], light: bool | None = None) -> str:
    """The light theme where the terminal's background is light, else the dark one.

    `light` is what the terminal said when it was asked. Some that do not answer set COLORFGBG to
    `foreground;background`, as numbers of the 16 colours.
    """
    if light is not None:
        return LIGHT if light else DARK
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if background in ("7", "15") else DARK
