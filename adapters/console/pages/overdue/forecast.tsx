import { api, hrefWith, navigate, parameters, useLoad } from '../../core/index.ts';
import { Show } from '../../parts/index.ts';
import { texts } from '../../texts.ts';
import { Outlook } from './outlook.tsx';

const t = texts.overdue;

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
  const loaded = useLoad(async () => ({ found: await api().accounts.findExactly(account) }), [account]);
  return (
    <Show of={loaded}>
      {({ found }) =>
        found === null ? <p class="empty">{t.unknownAccount(account)}</p> : <Outlook accountId={found.id} />
      }
    </Show>
  );
}
