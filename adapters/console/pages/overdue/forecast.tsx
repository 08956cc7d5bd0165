import { api, day, hrefWith, navigate, parameters, useLoad } from '../../core/index.ts';
import { Show } from '../../parts/index.ts';
import { texts } from '../../texts.ts';

const t = texts.overdue;
const DAY_MS = 86_400_000;
const AHEAD_DAYS = 90;

/** The states that an account will reach if nothing is paid. The account is in the URL. */
export function Forecast() {
  const account = parameters.value.get('account') ?? '';
  const search = (event: Event) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    navigate(hrefWith({ account: String(new FormData(form).get('account') ?? '').trim() }), {
      replace: true,
    });
  };
  return (
    <>
      <form class="filters" onSubmit={search}>
        <label class="filter">
          {t.accountIdOrKey}
          <input name="account" required defaultValue={account} />
        </label>
        <button type="submit">{t.showForecast}</button>
      </form>
      {account !== '' && <Steps key={account} account={account} />}
    </>
  );
}

function Steps({ account }: { readonly account: string }) {
  const loaded = useLoad(async () => {
    const found = await api().accounts.findExactly(account);
    if (found === null) return null;
    const explained = await api().overdue.explain(found.id);
    const until = new Date(Date.parse(explained.date) + AHEAD_DAYS * DAY_MS).toISOString().slice(0, 10);
    return { found, explained, preview: await api().overdue.preview(found.id, until) };
  }, [account]);
  return (
    <Show of={loaded}>
      {(data) =>
        data === null ? (
          <p class="empty">{t.unknownAccount(account)}</p>
        ) : (
          <>
            <p>{data.explained.text}</p>
            <h3>{t.ifUnpaid(AHEAD_DAYS)}</h3>
            {data.preview.steps.length === 0 && <p class="empty">{t.noSteps}</p>}
            <ol>
              {data.preview.steps.map(({ date, state }) => (
                <li key={date}>{t.step(day(date), state.isClearState ? t.clear : state.name)}</li>
              ))}
            </ol>
          </>
        )
      }
    </Show>
  );
}
