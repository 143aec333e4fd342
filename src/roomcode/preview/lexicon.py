"""Names that browsers know, for guessing what a misspelt one meant."""

__all__ = [
    "ELEMENT_METHODS",
    "EVENTS",
    "GLOBALS",
    "LIBRARIES",
    "LIST_METHODS",
    "METHODS",
    "OTHER_RUNTIMES",
    "PROPERTIES",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ELEMENT_METHODS = _words(
    "addEventListener removeEventListener setAttribute getAttribute removeAttribute hasAttribute appendChild append"
    " prepend remove click focus blur closest insertAdjacentHTML replaceChildren scrollIntoView showModal close"
)
"""Of one element."""

LIST_METHODS = _words("forEach map filter find findIndex some every reduce includes indexOf slice join")

METHODS = (
    ELEMENT_METHODS
    | LIST_METHODS
    | _words(
        "getElementById getElementsByClassName getElementsByTagName getElementsByName querySelector querySelectorAll"
        " createElement createElementNS createTextNode createDocumentFragment removeChild replaceChild insertBefore"
        " cloneNode contains matches replaceWith before after toggle add preventDefault stopPropagation dispatchEvent"
        " getBoundingClientRect getContext fillRect clearRect strokeRect beginPath closePath moveTo lineTo arc fill"
        " stroke fillText strokeText drawImage save restore translate rotate scale toDataURL"
        " push pop shift unshift splice sort reverse concat flat flatMap findLast lastIndexOf keys values entries fill"
        " at toString toFixed toPrecision toLocaleString toUpperCase toLowerCase trim trimStart trimEnd split replace"
        " replaceAll startsWith endsWith charAt charCodeAt substring substr repeat padStart padEnd match matchAll test"
        " exec localeCompare get set has delete clear then catch finally json text blob getItem setItem removeItem"
        " stringify parse floor ceil round random max min abs sqrt pow isInteger parseInt parseFloat isArray from of"
        " assign freeze log error warn info table getTime getDate getDay getMonth getFullYear getHours getMinutes"
        " getSeconds getMilliseconds toISOString toLocaleDateString toLocaleTimeString setDate setHours now"
        " requestAnimationFrame setTimeout setInterval clearTimeout clearInterval play pause load reset submit"
        " checkValidity reportValidity select call apply bind"
    )
)

PROPERTIES = _words(
    "innerHTML outerHTML innerText textContent className classList style value checked disabled hidden length dataset"
    " children firstChild lastChild parentElement parentNode nextElementSibling previousElementSibling onclick oninput"
    " onchange onsubmit onkeydown onkeyup onload addEventListener removeEventListener appendChild preventDefault"
    " backgroundColor fontSize fontWeight textDecoration target currentTarget key keyCode tagName"
)
"""Of elements, their styles and events, with a capital where one belongs."""

EVENTS = _words(
    "click dblclick input change submit reset keydown keyup keypress focus blur load resize scroll mouseover mouseout"
    " mouseenter mouseleave mousemove mousedown mouseup pointerdown pointerup pointermove touchstart touchend touchmove"
    " wheel drag dragstart dragend dragover drop toggle close hashchange popstate storage"
)
"""Names of events, without the `on` of their attributes."""

GLOBALS = _words(
    "document window console localStorage sessionStorage location history navigator screen Math JSON Object Array"
    " String Number Boolean Date RegExp Map Set WeakMap WeakSet Promise Symbol Error TypeError RangeError Intl"
    " Infinity NaN undefined parseInt parseFloat isNaN isFinite setTimeout setInterval clearTimeout clearInterval"
    " fetch alert confirm prompt requestAnimationFrame cancelAnimationFrame addEventListener removeEventListener"
    " getComputedStyle matchMedia encodeURIComponent decodeURIComponent Event CustomEvent FormData URL"
    " URLSearchParams Image Audio Blob File FileReader structuredClone queueMicrotask globalThis event crypto"
    " performance"
)

OTHER_RUNTIMES = {
    "require": 'browsers have no require: load the file with its own <script src="..."> tag',
    "module": "browsers have no module.exports: take that line out; all scripts of a page share their functions",
    "exports": "browsers have no exports: take that line out; all scripts of a page share their functions",
    "process": "browsers have no process: take it out",
    "__dirname": "browsers have no __dirname: use an address like data.json",
    "Buffer": "browsers have no Buffer: take it out",
}

LIBRARIES = {
    "$": "jQuery is not here: write document.querySelector(...) instead of $(...)",
    "jQuery": "jQuery is not here: write document.querySelector(...) instead",
}
LIBRARIES |= {
    name: f"the library {name} is not here: do it with plain JavaScript"
    for name in _words("React ReactDOM Vue angular axios THREE Chart d3 gsap moment dayjs lodash _ p5 Phaser bootstrap")
}
