"""The hands and eyes of a probe inside the page: an object that finds fields and controls, fills, and looks.

It is held by the debugging protocol alone, so the page's scripts do not see it. It never calls into the page; events of
filled fields are all that the page notices of it.
"""

__all__ = ["PROBE"]

PROBE = r"""(() => {
  const listeners = getEventListeners;
  const BUTTONS = "button, input[type=button], input[type=submit], input[type=reset], [role=button], [role=tab], "
    + "[data-toggle], [data-bs-toggle]";
  const CONTROLS = BUTTONS + ", [onclick]";
  const NEVER = "html, body, form, summary, select, option, label, textarea, iframe, "
    + "input:not([type=button], [type=submit], [type=reset], [type=image], [type=checkbox], [type=radio])";
  const PRESSES = ["click", "dblclick", "auxclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart",
    "touchend"];
  const BROKEN = [
    ["NaN", /(^|[^A-Za-z_])NaN/],
    ["undefined", /(^|[^\w-])undefined($|[^\w-])/],
    // Not as in a piece of JSON.
    ["null", /(?<![\w-]|["'\]}]\s*:\s*|[[,]\s*)null(?![\w-])/],
    ["[object Object]", /\[object Object\]/],
    ["[object Promise]", /\[object Promise\]/],
    ["Invalid Date", /\bInvalid Date\b/],
  ];
  const NUMERIC = new RegExp("amount|price|cost|bill|numb|num\\b|age\\b|qty|quantity|total|percent|rate|weight|height"
    + "|celsius|fahrenheit|kelvin|temp|year|month|day|hour|minute|second|count|score|size|width|length|distance|\\btip"
    + "|people|salary|income|loan|interest|guess|zip|postal|radius|speed|budget|operand|numeric|decimal|\\b[abxy]\\b",
    "i");
  const MOST = 20000;
  const TYPES = ["input", "change", "keyup", "keydown", "keypress", "beforeinput", "blur", "focusout", "textInput"];
  const clicked = new WeakSet(), used = new WeakSet(), idleAtFirst = new WeakSet(), filled = new WeakSet();
  const typed = new WeakSet();
  const allowed = new Map(), done = new Map(), usedKinds = new Set(), free = [];
  let current = null, before = null, turn = 0, result = null;

  const deep = (root = document, list = []) => {
    for (const e of root.querySelectorAll("*")) {
      if (list.length >= MOST) break;
      list.push(e);
      if (e.shadowRoot) deep(e.shadowRoot, list);
    }
    return list;
  };
  const visible = e => {
    if (!e.checkVisibility({opacityProperty: true, visibilityProperty: true})) return false;
    const box = e.getBoundingClientRect();
    return box.width > 0 && box.height > 0;
  };
  const enabled = e => !e.matches(":disabled, [aria-disabled=true]") && !e.closest("[inert]")
    && getComputedStyle(e).pointerEvents !== "none";
  const controls = () => deep().filter(e => e.matches(CONTROLS) && !e.matches(NEVER) && !e.closest("summary")
    && !e.querySelector(CONTROLS) && enabled(e) && visible(e));
  const short = text => {
    text = text.replace(/\s+/g, " ").trim();
    return text.length > 30 ? text.slice(0, 29) + "…" : text;
  };
  const label = e => {
    const text = short(e.innerText || "") || short(e.matches("input") ? e.value : "")
      || short(e.getAttribute("aria-label") || e.title || e.querySelector("img")?.alt || "");
    if (text) return JSON.stringify(text);
    return e.id ? "#" + e.id : e.classList.length ? "." + e.classList[0] : "<" + e.localName + ">";
  };
  const key = e => [e.localName, e.type, e.id, label(e)].join("|");
  const kind = e => [e.localName, e.className, e.parentElement?.localName, e.parentElement?.id].join("|");
  const parent = e => e.assignedSlot || e.parentNode || e.host || null;
  const path = e => {
    const nodes = [];
    for (let n = e; n; n = parent(n)) nodes.push(n);
    return [...nodes, window];
  };
  const hears = (target, names) => {
    const found = Object.keys(listeners(target));
    return names ? found.some(name => names.includes(name)) : found.length > 0;
  };

  // What a press on a button leads to: "" for nothing, "form" when it sends a form that nobody handles, else "yes".
  const effect = e => {
    if (hears(e) || e.getAttribute("onclick")?.trim() || path(e).slice(1).some(n => hears(n, PRESSES))) return "yes";
    const link = e.closest("a[href]");
    // A link to a part of the page that calls itself a tab needs a script like any other.
    if (link && (link !== e || !link.getAttribute("href").startsWith("#"))) return "yes";
    if (e.closest("label, summary, [popovertarget], [commandfor], [command], [formaction]")) return "yes";
    const form = e.form, type = e.matches("button, input") ? e.type : "";
    if (!form || type === "button") return "";
    if (type === "reset" || form.method === "dialog" || e.formMethod === "dialog") return "yes";
    if (hasAction(form) || path(form).some(n => hears(n, ["submit"]))) return "yes";
    return "form";
  };
  const hasAction = form => !["", "#"].includes((form.getAttribute("action") || "").trim());
  const note = e => {
    const what = effect(e);
    if (what === "yes") {
      used.add(e);
      usedKinds.add(kind(e));
    }
    return what;
  };

  // Styles can answer to a press all alone; where they may, nothing is said.
  const styled = () => {
    const answers = rules => [...rules].some(rule =>
      /:target\b|:(focus|focus-within|focus-visible|active)\b[^,]*[\s+~>]\s*\S/.test(rule.selectorText || "")
      || (rule.cssRules && answers(rule.cssRules)));
    return [...document.styleSheets].some(sheet => {
      try { return answers(sheet.cssRules); } catch { return true; }
    });
  };
  const signature = () => {
    const seen = deep().filter(visible);
    return seen.length + "|" + document.body?.innerText;
  };
  const point = e => {
    const box = [...e.getClientRects()].find(one => one.width > 0 && one.height > 0);
    if (!box) return null;
    const x = (Math.max(box.left, 0) + Math.min(box.right, innerWidth)) / 2;
    const y = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
    let top = document.elementFromPoint(x, y);
    for (let inner; (inner = top?.shadowRoot?.elementFromPoint(x, y)) && inner !== top;) top = inner;
    return top && path(top).includes(e) ? {x, y} : null;
  };

  const setter = owner => Object.getOwnPropertyDescriptor(owner.prototype, "value").set;
  const inputValue = setter(HTMLInputElement), areaValue = setter(HTMLTextAreaElement);
  // The elements' own way: some frameworks watch the assignment and would take the event for an echo.
  const put = (e, value) => (e.matches("textarea") ? areaValue : inputValue).call(e, value);
  const type = (e, value) => {
    const last = value.slice(-1);
    const say = (kind, name, more) => e.dispatchEvent(new kind(name, {bubbles: true, composed: true, ...more}));
    e.focus({preventScroll: true});
    say(KeyboardEvent, "keydown", {key: last, cancelable: true});
    put(e, value);
    typed.add(e);
    say(InputEvent, "input", {data: value, inputType: "insertText"});
    say(KeyboardEvent, "keyup", {key: last});
    say(Event, "change");
    e.blur();
  };
  const hints = e => [e.name, e.id, e.placeholder, e.inputMode, e.getAttribute("aria-label"),
    ...[...(e.labels || [])].map(one => one.innerText)].join(" ").replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/_/g, " ");
  const values = e => {
    switch (e.matches("textarea") ? "textarea" : e.type) {
      case "number": return ["5", e.max, e.min, "1"];
      case "email": return ["a@example.com"];
      case "url": return ["https://example.com"];
      case "tel": return ["5551234567", "555-123-4567", "123-456-7890"];
      case "password": return ["Test1234!", "test"];
      case "date": return ["2030-06-15", "2000-06-15", e.max, e.min];
      case "time": return ["12:00", e.max, e.min];
      case "datetime-local": return ["2030-06-15T12:00", e.max, e.min];
      case "month": return ["2030-06", e.max, e.min];
      case "week": return ["2030-W24", e.max, e.min];
      case "text": case "search": case "textarea": break;
      default: return [];
    }
    const about = hints(e);
    if (/e-?mail/i.test(about)) return ["a@example.com"];
    if (/phone|mobile/i.test(about)) return ["5551234567"];
    if (/\burl\b|website|homepage/i.test(about)) return ["https://example.com"];
    if (/\bdate\b|birthday/i.test(about)) return ["2030-06-15"];
    if (NUMERIC.test(about)) return ["5", "12345"];
    return ["test", "Test", "TEST", "testtest", "5", "12345", "Test1234!", "a@example.com"];
  };
  const fits = (e, value) => {
    if (!value) return false;
    put(e, value);
    const fine = e.value === value && e.checkValidity();
    put(e, "");
    return fine;
  };
  // The event that a refused field would fire is ours, not the page's.
  const quietly = work => {
    const stop = event => event.stopImmediatePropagation();
    addEventListener("invalid", stop, true);
    try { return work(); } finally { removeEventListener("invalid", stop, true); }
  };
  const nameOf = e => e.id ? "#" + e.id : e.name ? JSON.stringify(e.name) : short(e.placeholder || "")
    ? JSON.stringify(short(e.placeholder)) : "<" + e.localName + ">";

  const fields = () => deep().filter(e => e.matches("input, textarea, select") && !filled.has(e) && !e.readOnly
    && enabled(e) && visible(e));
  // Puts a value into the next empty field; its name, or null when there is none.
  const fill = () => {
    for (const e of fields()) {
      if (filled.has(e)) continue;
      filled.add(e);
      if (e.matches("select")) {
        const option = [...e.options].find(one => one.value && !one.disabled);
        if (e.value || e.multiple || !option) continue;
        e.value = option.value;
        for (const name of ["input", "change"]) e.dispatchEvent(new Event(name, {bubbles: true, composed: true}));
        return nameOf(e);
      }
      if (e.type === "radio") {
        const group = deep().filter(one => one.matches("input[type=radio]") && one.form === e.form
          && one.name === e.name);
        group.forEach(one => filled.add(one));
        if (!e.name || group.some(one => one.checked)) continue;
        e.click();
        return nameOf(e);
      }
      if (e.value !== "") continue;
      const wanted = values(e).filter(Boolean);
      if (!wanted.length) continue;
      let value = quietly(() => wanted.find(one => fits(e, one))) || wanted[0];
      while (e.minLength > value.length) value += value;
      if (e.maxLength > 0) value = value.slice(0, e.maxLength);
      if (wanted.length > 2 && /test/i.test(value)) free.push(e);
      type(e, value);
      return nameOf(e);
    }
    return null;
  };

  const words = () => {
    const found = new Map();
    const look = (text, e) => {
      for (const [word, pattern] of BROKEN) {
        if (found.has(word) || !pattern.test(text)) continue;
        const id = e.id || e.parentElement?.id || "";
        found.set(word, id ? "#" + id : "");
      }
    };
    let left = MOST;
    const read = root => {
      const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
      for (let n = walk.nextNode(); n && left > 0; n = walk.nextNode(), left -= 1) {
        const e = n.parentElement || root.host;
        if (!/NaN|null|undefined|Invalid|object/.test(n.data) || !e) continue;
        if (!e.closest("script, style, noscript, textarea, pre, code, samp, kbd") && visible(e)) look(n.data, e);
      }
    };
    if (document.body) read(document.body);
    for (const e of deep()) {
      if (e.shadowRoot) read(e.shadowRoot);
      if (e.matches("input, textarea") && !e.matches("[type=hidden], [type=password]") && visible(e)) look(e.value, e);
    }
    return [...found];
  };

  // Hidden, and in no place that the browser itself opens for a link.
  const stowed = e => !e.closest("details, [hidden=until-found]")
    && path(e).some(n => n instanceof Element && getComputedStyle(n).display === "none");
  // Links to parts of the page that are not there, or hidden.
  const lost = () => {
    if (hears(window, ["hashchange", "popstate"]) || hears(document, ["hashchange", "popstate"])) return [];
    return deep().filter(e => {
      if (!e.matches("a[href^='#']") || e.matches(BUTTONS) || !visible(e)) return false;
      const id = e.getAttribute("href").slice(1), part = document.getElementById(id);
      return /^[\w-]+$/.test(id) && id !== "top" && (part ? stowed(part) : !document.getElementsByName(id)[0])
        && !hears(e) && !path(e).slice(1).some(n => hears(n, PRESSES));
    });
  };
  // Fields that only typing can be meant for, since the page has nothing to press, and that nothing listens to.
  let lone = false;
  const deaf = () => lone && !controls().length
    ? deep().filter(e => e.matches("input[type=number], input[type=text], input[type=search], input:not([type])")
      && typed.has(e) && !e.form && !path(e).some(n => hears(n, TYPES)
      || (n instanceof Element && TYPES.some(name => n.getAttribute("on" + name)?.trim()))))
    : [];
  // Tables whose rows do not have as many cells as their header: [id, cells of a row, cells of the header].
  const uneven = () => {
    const found = [];
    for (const table of deep().filter(e => e.matches("table") && visible(e))) {
      const rows = [...table.rows].filter(row => row.cells.length);
      const head = rows[0];
      if (rows.length < 2 || table.querySelector("[colspan], [rowspan]")) continue;
      if (![...head.cells].every(cell => cell.matches("th"))) continue;
      const body = rows.slice(1).filter(row => row.querySelector("td") && !row.closest("tfoot") && visible(row));
      const odd = body.find(row => row.cells.length > 1 && row.cells.length !== head.cells.length);
      if (odd) found.push([table.id, odd.cells.length, head.cells.length]);
    }
    return found;
  };
  // Rows of headings that a table began with, and tables where rows of cells came before them.
  const headed = new Map(), beheaded = new Set();
  const isHead = row => row && row.cells.length > 1 && [...row.cells].every(cell => cell.matches("th"));
  const headings = () => headed.forEach((row, table) => {
    const above = [...table.rows].slice(0, [...table.rows].indexOf(row));
    if (isHead(row) && above.length && above.every(one => one.cells.length && !one.querySelector("th"))) {
      beheaded.add(table);
    }
  });
  // Elements whose number is another one as soon as a field hears of an input that changed nothing.
  const numbered = () => {
    const found = new Map();
    for (const e of deep()) {
      if (e.children.length || !e.id || !visible(e) || e.matches("input, textarea, select, button, option")) continue;
      const numbers = (e.textContent.match(/\d+/g) || []);
      if (numbers.length === 1 && e.textContent.length < 60) found.set(e, e.textContent.trim());
    }
    return found;
  };
  const touched = new WeakSet(), apart = text => text.replace(/\d+/, "#");
  const entries = () => deep().filter(e => e.matches("li, tr, [role=listitem], [role=option]") && visible(e));
  // Touches the next field; its name and [id, text before, text now] of such elements, null when there is none.
  const touch = () => {
    const e = fields().find(one => !touched.has(one) && one.matches("input[type=text], input[type=search], "
      + "input[type=number], input[type=range], input[type=color], input:not([type]), textarea"));
    if (!e) return null;
    touched.add(e);
    // What shows nothing of a field that has a value, until somebody moves it.
    const blank = e.value !== "" && e.matches("[type=range], [type=number], [type=color]")
      ? deep().filter(one => one.id && !one.children.length && one.textContent.trim() === ""
        && !one.matches("input, textarea, select, button, canvas, script, style, iframe, img, audio, video")) : [];
    const before = numbered(), many = e.value === "" && !e.form ? entries().length : 0;
    const say = () => e.dispatchEvent(new InputEvent("input",
      {bubbles: true, composed: true, data: "", inputType: "insertText"}));
    const now = one => one.isConnected ? one.textContent.trim() : before.get(one);
    say();
    const after = new Map([...before.keys()].map(one => [one, now(one)]));
    // What counts events or draws lots says something else each time.
    if ([...after].some(([one, text]) => text !== before.get(one))) say();
    const late = blank.filter(one => one.isConnected && one.textContent.trim() !== "" && visible(one))
      .map(one => one.id);
    return {name: nameOf(e), late, lost: Math.max(0, many - entries().length),
      stale: [...before].filter(([one, was]) => now(one) !== was
      && now(one) === after.get(one) && apart(now(one)) === apart(was)).map(([one, was]) => [one.id, was, now(one)])};
  };
  // Types something that nothing holds into the next field that filters, and empties it again: its name, and how many
  // entries could be seen before, were gone, and stay gone; null when there is none.
  const filtered = new WeakSet();
  const filter = () => {
    if (entries().length < 2) return null;
    const e = fields().find(one => !filtered.has(one) && one.matches("input[type=text], input[type=search], "
      + "input:not([type])") && !one.form && one.value === "" && hears(one, ["input", "keyup"]));
    if (!e) return null;
    filtered.add(e);
    const say = value => {
      put(e, value);
      e.dispatchEvent(new InputEvent("input", {bubbles: true, composed: true, data: value.slice(-1) || null,
        inputType: value ? "insertText" : "deleteContentBackward"}));
      e.dispatchEvent(new KeyboardEvent("keyup", {key: value ? "q" : "Backspace", bubbles: true, composed: true}));
    };
    const texts = () => entries().map(one => one.textContent.trim()).join("\n");
    const before = texts(), many = entries().length;
    say("zqxj");
    const gone = many - entries().length;
    // What counts entries and still counts all of them when none can be seen.
    const counts = gone === many ? deep().filter(one => one.id && !one.children.length && visible(one)
      && /hit|found|match|result|shown|visible/i.test(one.id + one.textContent)
      && one.textContent.match(/\d+/g)?.join() === String(many)).map(one => one.id) : [];
    say("");
    const same = texts() === before;
    return {name: nameOf(e), gone, counts, stay: gone > 0 && !same ? many - entries().length : 0};
  };
  const noun = e => e.matches("[role=tab]") ? "tab" : e.matches("a") ? "link" : "button";
  const links = new WeakSet();

  return {
    // Asked for the same turn again, it does nothing anew.
    call(number, method) {
      if (number !== turn) result = this[method]();
      turn = number;
      return result;
    },
    // What is there before anything is used.
    first() {
      for (const e of controls()) if (e.matches(BUTTONS) && note(e) !== "yes") idleAtFirst.add(e);
      for (const e of lost()) links.add(e);
      lone = !controls().length;
      for (const e of deep()) if (e.matches("table") && isHead(e.rows[0])) headed.set(e, e.rows[0]);
      return {words: words(), fields: fields().length};
    },
    fill,
    // Brings the next control that can be reached into view.
    next() {
      const found = controls(), counts = new Map();
      for (const e of found) counts.set(key(e), (counts.get(key(e)) || 0) + 1);
      for (const [one, count] of counts) if (!allowed.has(one)) allowed.set(one, count);
      for (const e of found) {
        const one = key(e);
        if (clicked.has(e) || (done.get(one) || 0) >= allowed.get(one)) continue;
        e.scrollIntoView({block: "center", inline: "center", behavior: "instant"});
        const at = point(e);
        if (!at) continue;
        clicked.add(e);
        done.set(one, (done.get(one) || 0) + 1);
        current = e;
        const idle = e.matches(BUTTONS) && note(e) !== "yes";
        before = idle ? signature() : null;
        return {label: label(e), ...at, form: Boolean(e.form && !hasAction(e.form)), own: hears(e, PRESSES),
          handled: !idle};
      }
      return null;
    },
    again() {
      return current?.isConnected && visible(current) && enabled(current) ? point(current) : null;
    },
    look() {
      if (before !== null && current && signature() !== before) used.add(current);
      before = null;
      headings();
      let kept = true;
      try { kept = localStorage.length + sessionStorage.length + document.cookie.length > 0; } catch { /* forbidden */ }
      return {words: words(), kept, fields: fields().length};
    },
    // Numbers in place of free texts; how many fields that were.
    numbers() {
      const there = free.filter(e => e.isConnected && visible(e));
      there.forEach(e => type(e, "5"));
      return there.length;
    },
    uneven,
    touch,
    filter,
    beheaded: () => [...beheaded].map(table => table.id),
    idle() {
      if (styled()) return {buttons: [], forms: [], links: [], fields: []};
      const found = controls().filter(e => e.matches(BUTTONS) && note(e) !== "yes" && !used.has(e)
        && (idleAtFirst.has(e) || !usedKinds.has(kind(e))));
      const names = (wanted, name) => [...new Set(found.filter(e => effect(e) === wanted).map(name))];
      const ways = lost().filter(e => links.has(e)).map(e => [e.getAttribute("href").slice(1), label(e)]);
      const fields = deaf().map(e => "field " + nameOf(e));
      return {fields, buttons: names("", e => noun(e) + " " + label(e)), forms: names("form", label),
        links: [...new Map(ways.reverse())].reverse().map(([id, name]) =>
          [id, name, Boolean(document.getElementById(id))])};
    },
  };
})()"""
