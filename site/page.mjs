// The page. Everything on it is computed by the library; nothing is drawn from memory.
const $ = (id) => document.getElementById(id);
const {Filter, plan, version} = await embedded();
const number = (n) => n.toLocaleString('en', {maximumFractionDigits: 0});
const percent = (x) => `${(100 * x).toPrecision(2)} %`;
const bytes = (n) => {
  for (const unit of ['bytes', 'KB', 'MB', 'GB', 'TB']) {
    if (n < 1000) return `${n < 10 && unit !== 'bytes' ? n.toFixed(1) : n.toFixed(0)} ${unit}`;
    n /= 1000;
  }
  return `${n.toFixed(0)} PB`;
};
$('about').textContent = `guira ${version}. A single page, made by “make site”.`;

// ------------------------------------------------------------------------------------------------------ what is a filter?
{
  const f = new Filter(), inside = new Map();
  const show = (text) => ($('word-answer').textContent = text);
  const ask = () => {
    const key = $('word').value, {items, bytes: size} = f.stats();
    const answer = f.has(key) ? (inside.get(key) ? 'Yes, it is in the set' : 'Yes, but it was never added: a false positive') : 'No, certainly not';
    show(`Is “${key}” in the set? ${answer}. ${items} ${items === 1 ? 'key' : 'keys'}, ${size} bytes.`);
  };
  $('words').addEventListener('submit', (event) => {
    event.preventDefault();
    const key = $('word').value;
    f.add(key);
    inside.set(key, (inside.get(key) ?? 0) + 1);
    ask();
  });
  $('word-remove').addEventListener('click', () => {
    const key = $('word').value, n = inside.get(key) ?? 0;
    if (n === 0) return show(`“${key}” was not added. Removing it could remove another key’s entry, so only remove what you added.`);
    f.delete(key);
    inside.set(key, n - 1);
    ask();
  });
  $('word').addEventListener('input', ask);
  ask();
}

// -------------------------------------------------------------------------------------------------------------- the tide
// The buckets are read from the saved bytes: docs/format.md. Sections follow a header of 256 bytes; each has its tag, its
// length, and its payload at 64; all lie on multiples of 64.
function tableOf(saved) {
  const view = new DataView(saved.buffer, saved.byteOffset, saved.length), found = {};
  for (let at = 256; at < saved.length && found.table === undefined;) {
    const tag = String.fromCharCode(...saved.subarray(at, at + 8)).replace(/\0+$/, ''), length = Number(view.getBigUint64(at + 8, true));
    found[tag] = at + 64;
    at += 64 + Math.ceil((length + 8) / 64) * 64;
  }
  const level = Number(view.getBigUint64(found.tide, true)), split = Number(view.getBigUint64(found.tide + 8, true));
  const slots = new Uint16Array(saved.slice(found.table, found.table + (2 ** level + split) * 16).buffer);
  return {level, split, slots};
}

{
  let f, keys, next, copies, timer = null, measured = 0;
  const MOST = 12000, canvas = $('buckets'), pen = canvas.getContext('2d');
  const start = () => {
    f = new Filter();
    keys = [];
    next = copies = 0;
    insert(100);
  };
  const insert = (n) => {
    for (; n > 0 && keys.length < MOST; n--) {
      f.add(`key ${next}`);
      keys.push(next++);
    }
  };
  const remove = (n) => {
    for (; n > 0 && keys.length > 0; n--) {
      const i = Math.floor(Math.random() * keys.length);
      f.delete(`key ${keys[i]}`);
      keys[i] = keys.at(-1);
      keys.pop();
    }
  };
  const measure = () => {
    const asked = Array.from({length: 20000}, (_, i) => `absent ${i}`);
    measured = f.hasMany(asked).reduce((sum, x) => sum + x, 0) / asked.length;
  };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);

  function draw() {
    const {level, split, slots} = tableOf(f.toBytes()), buckets = slots.length / 8;
    const ratio = devicePixelRatio, width = canvas.clientWidth, height = canvas.clientHeight;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    pen.scale(ratio, ratio);
    // As many rows as make the columns widest.
    let rows = 1;
    while (width / Math.ceil(buckets / rows) < height / rows / 10 && rows < 12) rows++;
    const perRow = Math.ceil(buckets / rows), w = Math.min(width / perRow, 40), rowHeight = height / rows, h = (rowHeight - 6) / 8;
    const fresh = colour('--new'), old = colour('--old'), free = colour('--free'), line = colour('--text');
    for (let b = 0; b < buckets; b++) {
      const x = (b % perRow) * w, y = Math.floor(b / perRow) * rowHeight + 3;
      for (let j = 0; j < 8; j++) {
        const s = slots[b * 8 + j];
        pen.fillStyle = s === 0 ? free : s & 1 ? fresh : old;
        pen.fillRect(x, y + j * h, Math.max(w - (w > 3 ? 1 : 0), 0.5), Math.max(h - (h > 3 ? 1 : 0), 0.5));
      }
    }
    const at = 2 * split;
    pen.fillStyle = line;
    pen.fillRect((at % perRow) * w - 1, Math.floor(at / perRow) * rowHeight, 2, rowHeight);
    numbers(level, split, buckets);
  }

  function numbers(level, split, buckets) {
    const s = f.stats();
    const all = [['Items', number(s.items)], ['Buckets', `${number(buckets)} = 2${superscript(level)} + ${number(split)}`],
      ['Load', s.load.toFixed(3)], ['Memory', bytes(s.bytes)], ['Bits per item', s.items > 0 ? (8 * s.bytes / s.items).toFixed(1) : '–'],
      ['Rate, predicted', percent(s.fpr)], ['Rate, measured', percent(measured)], ['Elders', number(s.elders)],
      ['Copies of one key', number(copies)], ['Splits', number(s.grows)], ['Merges', number(s.shrinks)]];
    $('numbers').replaceChildren(...all.map(([name, value]) => {
      const box = document.createElement('div'), dt = document.createElement('dt'), dd = document.createElement('dd');
      dt.textContent = name;
      dd.textContent = value;
      box.append(dt, dd);
      return box;
    }));
  }
  const superscript = (n) => String(n).replace(/\d/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[d]);
  const update = () => {
    measure();
    draw();
  };

  for (const button of document.querySelectorAll('[data-add], [data-remove]'))
    button.addEventListener('click', () => {
      insert(Number(button.dataset.add ?? 0));
      remove(Number(button.dataset.remove ?? 0));
      update();
    });
  $('copies').addEventListener('click', () => {
    for (let i = 0; i < 20; i++) f.add('the same key');
    copies = f.count('the same key');
    update();
  });
  $('empty').addEventListener('click', () => {
    start();
    update();
  });
  const stop = () => {
    clearInterval(timer);
    timer = null;
    $('play').setAttribute('aria-pressed', 'false');
  };
  $('play').addEventListener('click', () => {
    if (timer !== null) return stop();
    const from = performance.now();
    $('play').setAttribute('aria-pressed', 'true');
    timer = setInterval(() => {
      const wanted = 150 + Math.round(1400 * (1 - Math.cos((performance.now() - from) / 4000)));
      const step = wanted - keys.length;
      if (step > 0) insert(Math.min(step, 60));
      else remove(Math.min(-step, 60));
      update();
    }, 60);
  });
  addEventListener('resize', draw);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);
  start();
  update();
}

// -------------------------------------------------------------------------------------------------------- what does it cost?
{
  const names = {tidal: 'Tidal', cuckoo: 'Cuckoo, fixed', dynamic: 'DCF', elastic: 'ECF', consistent: 'CCF', bloom: 'Bloom'};
  const cells = (tag, texts) => texts.map((text) => {
    const cell = document.createElement(tag);
    cell.textContent = text;
    return cell;
  });
  const row = (r, most) => {
    const tr = document.createElement('tr'), bar = document.createElement('td'), span = document.createElement('span');
    bar.className = 'bar';
    span.style.width = `${Math.min(100, 100 * r.bytes / most)}%`;
    if (r.bytes > most) span.className = 'off';
    bar.append(span);
    tr.append(...cells('td', [names[r.name], bytes(r.bytes), r.bitsPerItem.toFixed(1), r.grows ? 'yes' : 'no', r.removes ? 'yes' : 'no']), bar);
    return tr;
  };
  const show = () => {
    const items = Number($('items').value), rate = Number($('rate').value) / 100;
    let result;
    try {
      result = plan(items, rate, Number($('growth').value));
    } catch (e) {
      $('advice').textContent = `Not possible: ${e.message}.`;
      return;
    }
    const usable = result.rows.filter((r) => r.bytes > 0 && r.meets);
    // CCF takes tens of times more than the others: its bar ends off the scale.
    const most = Math.max(...usable.filter((r) => r.name !== 'consistent').map((r) => r.bytes));
    const head = document.createElement('tr');
    head.append(...cells('th', ['Kind', 'Memory', 'Bits/item', 'Grows', 'Removes', '']));
    const lines = usable.map((r) => row(r, most));
    lines[usable.findIndex((r) => r.name === result.smallest)]?.classList.add('best');
    $('rows').replaceChildren($('rows').caption, head, ...lines);
    $('advice').textContent = result.smallest === 'bloom'
      ? 'Smallest: Bloom. It can neither remove nor grow. If you need one of them, take the smallest row that can.'
      : `Smallest: ${names[result.smallest]}.`;
  };
  $('costs').addEventListener('input', show);
  $('costs').addEventListener('submit', (event) => event.preventDefault());
  show();
}

// ------------------------------------------------------------------------------------------------------------- the papers
{
  const KINDS = ['dynamic', 'elastic', 'consistent', 'tidal'], POINTS = 90;

  /** Items over time: three waves of random heights. */
  function stream() {
    const heights = [0, 0, 0].map(() => 800 + Math.random() * 3200);
    return Array.from({length: POINTS}, (_, t) => {
      const wave = Math.floor(t * 3 / POINTS), phase = (t * 3 / POINTS) % 1;
      return Math.round(150 + heights[wave] * Math.sin(Math.PI * phase) ** 2);
    });
  }

  function follow(kind, items) {
    const f = new Filter({kind, slotBits: 16}), keys = [], out = [];
    let key = 0;
    for (const wanted of items) {
      while (keys.length < wanted) {
        try {
          f.add(`flow ${key}`);
          keys.push(key);
        } catch {
          break; // refused: with 16 bits, CCF may find no place
        }
        key++;
      }
      while (keys.length > wanted) f.delete(`flow ${keys.shift()}`);
      out.push(f.stats());
    }
    f.free();
    return out;
  }

  const svg = (name, attributes, text) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    if (text !== undefined) e.textContent = text;
    return e;
  };

  /** Round values for the lines of a chart between low and high (their logarithms, if log). */
  function ticks(low, high, log) {
    const round = (steps, from, to) => {
      const out = [];
      for (let k = from; k <= to; k++) for (const step of steps) out.push(step * 10 ** k);
      return out;
    };
    if (log) {
      const inside = (list) => list.filter((v) => Math.log10(v) >= low && Math.log10(v) <= high);
      const fine = inside(round([1, 2, 5], Math.floor(low), Math.ceil(high)));
      return fine.length <= 6 ? fine : inside(round([1], Math.floor(low), Math.ceil(high)));
    }
    const step = round([1, 2, 5], 0, 9).find((v) => high / v < 5);
    return Array.from({length: Math.floor(high / step) + 1}, (_, i) => i * step);
  }

  function chart(id, lines, {log, format, area}) {
    const W = 820, H = 260, left = 108, bottom = 12, top = 14;
    const values = Object.values(lines).flat().filter((v) => v > 0);
    const scale = log ? Math.log10 : (v) => v;
    const low = log ? scale(Math.min(...values)) : 0, high = scale(Math.max(...values)) * (log ? 1 : 1.05) + (log ? 0.1 : 0);
    const x = (t) => left + t * (W - left) / (POINTS - 1), y = (v) => H - bottom - (scale(v) - low) / (high - low) * (H - bottom - top);
    const picture = svg('svg', {viewBox: `0 0 ${W} ${H}`, role: 'img', 'aria-label': $(id).previousElementSibling.textContent});
    for (const v of ticks(low, high, log)) {
      const at = v === 0 ? H - bottom : y(v);
      picture.append(svg('line', {x1: left, x2: W, y1: at, y2: at, class: 'grid'}),
        svg('text', {x: left - 8, y: at + 4, 'text-anchor': 'end'}, format(v)));
    }
    if (area) picture.append(svg('polygon', {class: 'items', points: `${x(0)},${H - bottom} ${area.map((v, t) => `${x(t)},${y(v)}`).join(' ')} ${x(POINTS - 1)},${H - bottom}`}));
    for (const [kind, list] of Object.entries(lines))
      picture.append(svg('polyline', {class: kind, points: list.map((v, t) => `${x(t).toFixed(1)},${y(v).toFixed(1)}`).join(' ')}));
    $(id).replaceChildren(picture);
  }

  function run() {
    const items = stream(), followed = Object.fromEntries(KINDS.map((kind) => [kind, follow(kind, items)]));
    const each = (of) => Object.fromEntries(KINDS.map((kind) => [kind, followed[kind].map(of)]));
    chart('chart-slots', each((s) => s.slots), {format: number, area: items});
    chart('chart-bytes', each((s) => s.bytes / s.items), {log: true, format: number});
    chart('chart-rate', each((s) => s.fpr), {log: true, format: (v) => `${Number((100 * v).toPrecision(1))} %`});
  }
  $('again').addEventListener('click', run);
  run();
}
document.documentElement.dataset.ready = 'yes';
