import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { texts } from '../texts.ts';

interface Series {
  readonly label: string;
  /** A value for each label of the horizontal axis; null leaves a gap. */
  readonly values: readonly (number | null)[];
}

interface ChartProps {
  readonly title: string;
  readonly labels: readonly string[];
  readonly series: readonly Series[];
  /** Bars are drawn side by side for one or two series. Default: bars. */
  readonly kind?: 'bars' | 'lines';
  /** Writes a number with its unit. */
  readonly valueText: (value: number) => string;
}

const HEIGHT = 200;
const LABEL_WIDTH = 75;
const COLORS = ['--chart-1', '--chart-2', '--chart-3'];

const darkScheme = matchMedia('(prefers-color-scheme: dark)');
const isDark = signal(darkScheme.matches);
darkScheme.addEventListener('change', ({ matches }) => {
  isDark.value = matches;
});

/** A chart over labels such as months. The same numbers follow as a list for screen readers. */
export function Chart(props: ChartProps) {
  const { title, labels, series, valueText } = props;
  const isEmpty = series.every(({ values }) => values.every((value) => value === null));
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = holder.current;
    if (element === null || isEmpty) return undefined;
    const plot = drawChart(element, props);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [JSON.stringify([labels, series]), isDark.value]);
  const textOf = (value: number | null | undefined) => (value == null ? '–' : valueText(value));
  const atLabel = (index: number) =>
    series.map((each) => `${each.label} ${textOf(each.values[index])}`).join(', ');
  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      {isEmpty && <p class="quiet-text">{texts.common.noValues}</p>}
      <div ref={holder} aria-hidden="true" hidden={isEmpty} />
      <ul class="for-screen-readers">
        {labels.map((label, index) => (
          <li key={label}>{`${label}: ${atLabel(index)}`}</li>
        ))}
      </ul>
    </figure>
  );
}

function drawChart(element: HTMLElement, { labels, series, kind = 'bars', valueText }: ChartProps): uPlot {
  const color = (name: string) => resolvedColor(element, name);
  const axis = {
    stroke: color('--quiet'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { show: false },
  };
  const styleOf = (index: number): Partial<uPlot.Series> => {
    const stroke = color(COLORS[index % COLORS.length] ?? '');
    if (kind === 'lines') return { stroke, width: 2, points: { show: true, size: 5 } };
    const align = series.length === 1 ? 0 : index === 0 ? -1 : 1;
    const paths = uPlot.paths.bars?.({ size: [0.35], align });
    return { stroke, fill: stroke, width: 0, points: { show: false }, ...(paths && { paths }) };
  };
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: HEIGHT,
    scales: { x: { time: false, range: [-0.6, labels.length - 0.4] }, y: { range: fromZero } },
    axes: [
      {
        ...axis,
        size: 30,
        space: LABEL_WIDTH,
        incrs: [1, 2, 3, 5, 10, 20, 50],
        values: (_, at) => at.map((each) => labels[each] ?? ''),
      },
      { ...axis, size: widthOfLabels, values: (_, at) => at.map(valueText) },
    ],
    series: [
      { value: (_, at) => labels[at] ?? '' },
      ...series.map(({ label }, index) => ({
        label,
        value: (_: uPlot, at: number | null) => (at === null ? '' : valueText(at)),
        ...styleOf(index),
      })),
    ],
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

/** Returns the width of the vertical axis: at least 50 pixels, and more for long labels. */
function widthOfLabels(_: uPlot, labels: readonly string[] | null): number {
  return Math.max(50, ...(labels ?? []).map((label) => 16 + label.length * 7));
}

/** Returns the range of the vertical axis, which includes zero. */
function fromZero(_: uPlot, low: number | null, high: number | null): uPlot.Range.MinMax {
  const [least, greatest] = [Math.min(0, low ?? 0), Math.max(0, high ?? 0)];
  return least === greatest ? [0, 1] : [least * 1.1, greatest * 1.1];
}
