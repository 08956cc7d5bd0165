import { quantity } from '../core/format.ts';
import { texts } from '../texts.ts';

/** Counts by name as horizontal bars. */
export function Bars(props: {
  readonly rows: readonly { readonly name: string; readonly count: number; readonly url?: string }[];
}) {
  const { rows } = props;
  if (rows.length === 0) return <p class="empty">{texts.common.nothing}</p>;
  const largest = Math.max(...rows.map(({ count }) => count), 1);
  return (
    <ul class="bars">
      {rows.map(({ name, count, url }) => (
        <li key={name}>
          {url === undefined ? <span>{name}</span> : <a href={url}>{name}</a>}
          <svg aria-hidden="true" viewBox="0 0 100 10" preserveAspectRatio="none">
            <rect width={(100 * count) / largest} height="10" />
          </svg>
          <span class="number">{quantity(count)}</span>
        </li>
      ))}
    </ul>
  );
}
