"""The script that goes into every page before its own: it holds floods back and keeps the page open.

Without it a page that throws or logs ten thousand times a second keeps the browser, its driver and this process busy
for longer than any limit. What is held back is counted, and the counts are told afterwards.
"""

__all__ = ["CLOSE", "DROPPED", "FOR_PAGES", "FOR_WORKERS", "MARK", "REPEAT"]

MARK = "roomcode:"
CLOSE, DROPPED, REPEAT = "roomcode:close", "roomcode:dropped", "roomcode:repeat"
"""First words of the messages the script sends through the console."""

_COMMON = """
  const say = console.debug.bind(console), later = setTimeout, clock = performance.now.bind(performance);
  const budget = (burst, rate) => {
    let left = burst, at = clock();
    return () => {
      const now = clock();
      left = Math.min(burst, left + (now - at) * rate / 1000);
      at = now;
      return left >= 1 && (left -= 1, true);
    };
  };
  const mayLog = budget(400, 100), mayThrow = budget(100, 10), repeats = new Map();
  let dropped = 0, planned = false;
  const flush = () => {
    planned = false;
    if (dropped) say("roomcode:dropped", dropped);
    for (const {what, count} of repeats.values()) say("roomcode:repeat", what, count);
    dropped = 0;
    repeats.clear();
  };
  const flushSoon = () => {
    if (!planned) later(flush, 40);
    planned = true;
  };
  const cut = value => typeof value === "string" && value.length > 20000
    ? value.slice(0, 2000) + " […" + value.length + " characters…] " + value.slice(-200) : value;
  for (const name of ["log", "info", "debug", "warn", "error", "trace", "dir", "table", "count", "assert"]) {
    const own = console[name];
    if (typeof own !== "function") continue;
    console[name] = ({[name](...values) {
      if (name === "assert" && values[0]) return;
      if (mayLog()) return own.apply(console, values.map(cut));
      dropped += 1;
      flushSoon();
    }})[name];
  }
"""

FOR_WORKERS = f"(() => {{{_COMMON}}})();"

FOR_PAGES = (
    f"(() => {{{_COMMON}"
    """
  const hold = (event, text, file, line, column, error) => {
    event.preventDefault();
    text = cut(text);
    const key = [text, file, line, column].join();
    const known = repeats.get(key);
    if (known) known.count += 1;
    else if (repeats.size < 50) {
      let stack = "";
      try { stack = String(error && error.stack || "").slice(0, 2000); } catch { /* a value without a stack */ }
      repeats.set(key, {count: 1, what: JSON.stringify({text, file, line, column, stack})});
    }
    flushSoon();
  };
  addEventListener("error", event => {
    if (typeof event.message !== "string" || (event.message.length < 20000 && mayThrow())) return;
    hold(event, event.message, event.filename, event.lineno, event.colno, event.error);
  }, true);
  addEventListener("unhandledrejection", event => {
    if (mayThrow()) return;
    let text = "a value";
    try { text = String(event.reason); } catch { /* a value without a text */ }
    hold(event, "Uncaught (in promise) " + text, "", 0, 0, event.reason);
  }, true);
  window.close = function close() { say("roomcode:close"); };
})();"""
)
