/**
 * Charts: lines and histograms on uPlot, intervals and heat maps as SVG and tables. Beside each drawing stand its numbers
 * as a table, for who cannot see it.
 *
 * Colours come from the style sheet, so a chart is drawn anew when the colour scheme changes. Lines differ by dash and
 * mark too, not by colour alone.
 */
import { default as uPlot } from "./uPlot.esm.js";
import { h, s } from "./dom.js";
import { number, t } from "./texts.js";

/**
 * @typedef {{label: string, values: (number | null)[], seat?: number}} Line
 * @typedef {{value: number | null, low: number | null, high: number | null}} Interval an end that is `null` is open
 */

/** Colours `--c0` to `--c6` of the style sheet. */
const COLOURS = 7;
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const HEIGHT = 240;
/** Steps of an axis of whole numbers. */
const WHOLE = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) => [1, 2, 5].map((step) => step * 10 ** power));
/** Lines of up to so many points have a mark at each. */
const MARKED_MAX = 400;

const dark = matchMedia("screen and (prefers-color-scheme: dark)");

/** @param {string} name */
function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/**
 * A figure that draws itself as wide as it is, again whenever that or the colour scheme changes.
 * @param {string} title
 * @param {() => uPlot.Options} options without a width
 * @param {uPlot.AlignedData} data
 * @param {() => HTMLTableElement} table made when it is first opened
 */
function figure(title, options, data, table) {
    const place = h("div", { class: "chart-plot", role: "img", "aria-label": title });
    const numbers = h("details", { class: "chart-numbers" }, h("summary", {}, t("chart_table")));
    numbers.addEventListener(
        "toggle",
        () => numbers.append(h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title }, table())),
        { once: true },
    );
    const element = h("figure", { class: "chart" }, h("figcaption", {}, title), place, numbers);
    /** @type {uPlot | null} */
    let plot = null;
    const draw = () => {
        const width = place.clientWidth;
        if (width === 0) return;
        plot?.destroy();
        plot = new uPlot({ ...options(), width }, data, place);
    };
    new ResizeObserver(() => {
        if (plot === null) draw();
        else if (place.clientWidth > 0 && place.clientWidth !== plot.width) plot.setSize({ width: place.clientWidth, height: HEIGHT });
    }).observe(place);
    const recolour = () => {
        if (!element.isConnected) dark.removeEventListener("change", recolour);
        else draw();
    };
    dark.addEventListener("change", recolour);
    return element;
}

/**
 * @param {string} label
 * @param {number} digits
 * @param {boolean} [y]
 * @param {(value: number) => string} [text]
 * @returns {uPlot.Axis}
 */
function axis(label, digits, y = false, text = (value) => short(value, digits)) {
    return {
        label,
        labelSize: 18,
        labelFont: "12px system-ui, sans-serif",
        font: "12px system-ui, sans-serif",
        stroke: colour("--ink-soft"),
        grid: { stroke: colour("--line"), width: 1 },
        ticks: { stroke: colour("--line"), width: 1 },
        size: y ? 62 : 36,
        ...(digits === 0 && { incrs: WHOLE }),
        values: (_, splits) => splits.map((split) => (split === null ? "" : text(split))),
    };
}

/**
 * @param {number} value
 * @param {number} digits at most
 */
function short(value, digits) {
    return Math.abs(value) >= 1e5 ? value.toExponential(0) : String(Number(value.toFixed(digits)));
}

/**
 * Lines over a common x.
 * @param {{title: string, x: {label: string, values: number[], text?: (value: number) => string},
 *   y: {label: string, digits: number}, lines: Line[]}} chart `text` writes a value of x, where that is no plain number
 */
export function lineChart({ title, x, y, lines }) {
    const marked = x.values.length <= MARKED_MAX;
    const text = x.text ?? String;
    return figure(
        title,
        () => ({
            width: 0,
            height: HEIGHT,
            scales: { x: { time: false } },
            axes: [axis(x.label, x.text ? 1 : 0, false, x.text), axis(y.label, y.digits, true)],
            cursor: { drag: { x: true, y: false } },
            series: [
                { label: x.label, value: (/** @type {any} */ _, /** @type {number | null} */ value) => (value === null ? "–" : text(value)) },
                ...lines.map((line, i) => {
                    const n = line.seat ?? i;
                    const ink = colour(`--c${n % COLOURS}`);
                    return {
                        label: line.label,
                        stroke: ink,
                        width: 2,
                        dash: DASHES[(line.seat ?? Math.floor(i / COLOURS)) % DASHES.length],
                        spanGaps: true,
                        points: { show: marked, size: 5, fill: ink },
                        value: (/** @type {any} */ _, /** @type {number | null} */ value) => number(value, value === null ? 0 : y.digits),
                    };
                }),
            ],
        }),
        [x.values, ...lines.map((line) => line.values)],
        () =>
            numberTable(
                [x.label, ...lines.map((line) => line.label)],
                x.values.map((value, i) => [text(value), ...lines.map((line) => (line.values[i] === null ? "" : number(line.values[i], y.digits)))]),
            ),
    );
}

/**
 * How many fall into each class.
 * @param {{title: string, label: string, digits?: number, count: string, bins: {from: number, to: number, count: number}[]}} chart
 */
export function histogram({ title, label, digits = 0, count, bins }) {
    const centres = bins.map((bin) => (bin.from + bin.to) / 2);
    return figure(
        title,
        () => ({
            width: 0,
            height: HEIGHT,
            scales: {
                x: { time: false, range: () => [bins[0]?.from ?? 0, bins.at(-1)?.to ?? 1] },
                y: { range: (_, __, max) => [0, Math.max(1, max * 1.05)] },
            },
            axes: [axis(label, digits), axis(count, 0, true)],
            series: [
                { label },
                {
                    label: count,
                    stroke: colour("--c0"),
                    fill: colour("--c0-soft"),
                    width: 1,
                    points: { show: false },
                    paths: uPlot.paths.bars?.({ size: [1, Infinity], align: 0 }),
                },
            ],
        }),
        [centres, bins.map((bin) => bin.count)],
        () => numberTable([label, count], bins.map((bin) => [`${short(bin.from, digits)} – ${short(bin.to, digits)}`, number(bin.count)])),
    );
}

/**
 * @param {string[]} heads
 * @param {string[][]} lines
 */
function numberTable(heads, lines) {
    return h(
        "table",
        { class: "numbers" },
        h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
        h("tbody", {}, ...lines.map((line) => h("tr", {}, ...line.map((cell) => h("td", {}, cell))))),
    );
}

/**
 * The scale that a column of intervals shares: all their ends, and a little room.
 * @param {Interval[]} intervals
 * @returns {{min: number, max: number}}
 */
export function scaleOf(intervals) {
    const ends = intervals.flatMap(({ value, low, high }) => [value, low, high]).filter((end) => end !== null && Number.isFinite(end));
    if (ends.length === 0) return { min: -1, max: 1 };
    const min = Math.min(.../** @type {number[]} */ (ends));
    const max = Math.max(.../** @type {number[]} */ (ends));
    const room = Math.max(1e-6, (max - min) * 0.06);
    return { min: min - room, max: max + room };
}

/**
 * One interval as a bar with a mark at its value; an open end is drawn as an arrow.
 * @param {Interval} interval
 * @param {{min: number, max: number}} scale
 * @param {string} label for who cannot see it
 * @param {number} [middle] a value to mark behind the bar: no difference
 */
export function intervalBar({ value, low, high }, { min, max }, label, middle = 0) {
    const x = (/** @type {number} */ at) => 8 + (184 * (at - min)) / (max - min);
    const upright = (/** @type {string} */ name, /** @type {number} */ at, /** @type {number} */ half) =>
        s("line", { class: name, x1: at, x2: at, y1: 12 - half, y2: 12 + half });
    const from = low === null ? 0 : x(low);
    const to = high === null ? 200 : x(high);
    return s(
        "svg",
        { class: "interval", viewBox: "0 0 200 24", preserveAspectRatio: "none", role: "img", "aria-label": label },
        min < middle && middle < max ? upright("interval-middle", x(middle), 12) : null,
        s("rect", { class: "interval-bar", x: from, y: 8, width: Math.max(1, to - from), height: 8 }),
        low === null ? s("path", { class: "interval-open", d: "M8 4L0 12L8 20Z" }) : upright("interval-end", from, 7),
        high === null ? s("path", { class: "interval-open", d: "M192 4L200 12L192 20Z" }) : upright("interval-end", to, 7),
        value === null ? null : upright("interval-value", x(value), 9),
    );
}

/**
 * A table whose cells are coloured by a share, from 0 (all lost) over 1/2 to 1 (all won).
 * @param {{corner: string, rows: (Node | string)[], columns: (Node | string)[],
 *   cell: (row: number, column: number) => {share: number, text: string, href?: string, title?: string} | null}} map
 */
export function heatMap({ corner, rows, columns, cell }) {
    const square = (/** @type {number} */ row, /** @type {number} */ column) => {
        const found = cell(row, column);
        if (!found) return h("td", { class: "heat heat-none" });
        const { share, text, href, title } = found;
        return h("td", { class: `heat heat-${Math.round(10 * share)}`, title }, href ? h("a", { href }, text) : text);
    };
    return h(
        "table",
        { class: "heat-map" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, corner), ...columns.map((column) => h("th", { scope: "col" }, column)))),
        h("tbody", {}, ...rows.map((row, r) => h("tr", {}, h("th", { scope: "row" }, row), ...columns.map((_, c) => square(r, c))))),
    );
}
