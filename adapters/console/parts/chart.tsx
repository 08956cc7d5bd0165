import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { texts } from '../texts.ts';

export interface Series {
  readonly label: string;
  /** A value for each label of the horizontal axis; null leaves a gap. */
  readonly values: readonly (number | null)[];
  readonly kind?: 'bars' | 'line';
}

const HEIGHT = 200;
const COLORS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'];

/**
 * A chart over labels such as months. The same numbers follow as a table for screen readers.
 * @param valueText writes a number with its unit.
 */
export function Chart(props: {
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  readonly valueText: (value: number) => string;
}) {
  const { title, labels, series, valueText } = props;
  const isEmpty = series.every(({ values }) => values.every((value) => value === null));
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null || isEmpty) return undefined;
    const draw = () => drawn(element, props);
    let plot = draw();
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => {
      plot.destroy();
      plot = draw();
    };
    dark.addEventListener('change', redraw);
    return () => {
      dark.removeEventListener('change', redraw);
      observer.disconnect();
      plot.destroy();
    };
  }, [JSON.stringify([labels, series])]);
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      {isEmpty && <p class="empty">{texts.common.noValues}</p>}
      <div ref={holder} aria-hidden="true" hidden={isEmpty} />
      <div class="for-screen-readers">
        <table>
          <caption>{title}</caption>
          <thead>
            <tr>
              <td />
              {series.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, index) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {series.map(({ label: name, values }) => {
                  const value = values[index];
                  return <td key={name}>{value === null || value === undefined ? '' : valueText(value)}</td>;
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}

/** Returns the width of the vertical axis: at least 50 pixels, and more for long labels. */
function widthOfLabels(_: uPlot, labels: readonly string[] | null): number {
  const longest = Math.max(...(labels ?? []).map((label) => label.length), 0);
  return Math.max(50, 16 + longest * 7);
}

function drawn(element: HTMLElement, props: Parameters<typeof Chart>[0]): uPlot {
  const { labels, series, valueText } = props;
  const color = (name: string) => resolvedColor(element, name);
  const axis = {
    stroke: color('--quiet'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const barCount = series.filter(({ kind }) => kind !== 'line').length;
  let bar = -1;
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    scales: { x: { time: false, range: [-0.6, labels.length - 0.4] }, y: { range: fromZero } },
    axes: [
      {
        ...axis,
        size: 30,
        splits: (plot) => shownLabels(labels.length, plot.width),
        values: (_, at) => at.map((each) => labels[each] ?? ''),
      },
      { ...axis, size: widthOfLabels, values: (_, at) => at.map(valueText) },
    ],
    series: [
      { value: (_, at) => labels[at] ?? '' },
      ...series.map(({ label, kind = 'bars' }, index): uPlot.Series => {
        const stroke = color(COLORS[index % COLORS.length] ?? '--chart-1');
        const value = (_: uPlot, at: number | null) => (at === null ? '' : valueText(at));
        if (kind === 'line') return { label, stroke, width: 2, value, points: { show: true, size: 5 } };
        bar += 1;
        return {
          label,
          stroke,
          fill: stroke,
          width: 0,
          value,
          paths: barsBeside(bar, barCount),
          points: { show: false },
        };
      }),
    ],
    legend: { live: true },
    cursor: { drag: { x: false, y: false } },
  };
  const data = [labels.map((_, index) => index), ...series.map(({ values }) => [...values])];
  return new uPlot(options, data as uPlot.AlignedData, element);
}

/** Returns a color of the style sheet without `light-dark`, which a canvas does not understand. */
function resolvedColor(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = '';
  return color;
}

/** Returns the range of the vertical axis, which includes zero. */
function fromZero(_: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  const [least, greatest] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  return least === greatest ? [0, 1] : [least * 1.1, greatest * 1.1];
}

const LABEL_WIDTH = 75;

/** Returns the positions of the labels that fit side by side. */
function shownLabels(count: number, width: number): number[] {
  const step = Math.max(1, Math.ceil((count * LABEL_WIDTH) / width));
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step);
}

/** Draws the bars of one of several series beside those of the others. */
function barsBeside(index: number, count: number): uPlot.Series.PathBuilder {
  const share = 0.7 / count;
  return (plot, seriesIndex, ...[first, last]) => {
    const path = new Path2D();
    const zero = plot.valToPos(0, 'y', true);
    const step = plot.valToPos(1, 'x', true) - plot.valToPos(0, 'x', true);
    for (let at = first; at <= last; at += 1) {
      const value = plot.data[seriesIndex]?.[at];
      if (value === null || value === undefined) continue;
      const left = plot.valToPos(at, 'x', true) + step * (index * share - 0.35);
      const top = plot.valToPos(value, 'y', true);
      path.rect(left, Math.min(top, zero), step * share * 0.92, Math.abs(zero - top));
    }
    return { stroke: path, fill: path };
  };
}
