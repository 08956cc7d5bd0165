import { useEffect, useState } from 'preact/hooks';
import { api, asError, instant, may, type ResultOf, useLoad } from '../../core/index.ts';
import {
  Action,
  Columns,
  Facts,
  type Field,
  ListSection,
  Problem,
  Section,
  Show,
  textOf,
  type Values,
} from '../../parts/index.ts';
import { notify } from '../../parts/notices.tsx';
import { texts } from '../../texts.ts';

const t = texts.tenant;

type Seller = ResultOf<'sellers', 'get'>;

const { sellerFields } = t;
const names = Object.keys(sellerFields) as (keyof typeof sellerFields)[];

/** The seller on invoices: its data, its logo and the earlier versions. */
export function SellerData() {
  const loaded = useLoad(() => Promise.all([api().sellers.get(), api().sellers.list()]));
  return (
    <Show of={loaded}>
      {([seller, versions]) => (
        <div class="page">
          <Columns>
            <Section title={t.seller} actions={may('tenant_kvs:add') && <ChangeSeller seller={seller} />}>
              {seller === null ? (
                <p class="empty">{t.noSeller}</p>
              ) : (
                <Facts of={names.map((name) => [sellerFields[name], seller[name] ?? undefined])} />
              )}
            </Section>
            {seller !== null && <Logo seller={seller} />}
          </Columns>
          <ListSection
            caption={t.versions}
            of={{ ...loaded, data: versions }}
            keyOf={({ id }) => id}
            columns={[
              { title: t.from, cell: ({ createdDate }) => instant(createdDate) },
              { title: sellerFields.name, cell: ({ name }) => name },
              { title: sellerFields.address1, cell: ({ address1 }) => address1 },
              { title: sellerFields.city, cell: ({ city }) => city },
              { title: sellerFields.iban, cell: ({ iban }) => iban },
            ]}
          />
        </div>
      )}
    </Show>
  );
}

function ChangeSeller({ seller }: { readonly seller: Seller }) {
  const fields = names.map(
    (name): Field => ({
      name,
      label: sellerFields[name],
      isRequired: name === 'name',
      kind: name === 'paymentTermsDays' ? 'number' : name === 'email' ? 'email' : 'text',
    }),
  );
  const run = (values: Values) => {
    const given = Object.fromEntries(names.map((name) => [name, textOf(values, name) ?? null]));
    const days = textOf(values, 'paymentTermsDays');
    const paymentTermsDays = days === undefined ? null : Number(days);
    const { notes = null, logo = null } = seller ?? {};
    return api().sellers.upload({ ...given, paymentTermsDays, notes, logo });
  };
  return (
    <Action
      {...t.changeSeller}
      fields={fields}
      initial={Object.fromEntries(names.map((name) => [name, String(seller?.[name] ?? '')]))}
      run={run}
    />
  );
}

/** The logo, and the upload of another one. */
function Logo({ seller }: { readonly seller: NonNullable<Seller> }) {
  const { logo } = seller;
  const [url, setUrl] = useState<string | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const made =
      logo && URL.createObjectURL(new Blob([new Uint8Array(logo.bytes)], { type: logo.mediaType }));
    setUrl(made);
    return () => made && URL.revokeObjectURL(made);
  }, [seller.id]);
  const upload = async (file: File) => {
    try {
      const bytes = new Uint8Array(await file.arrayBuffer());
      const mediaType = file.type as NonNullable<typeof logo>['mediaType'];
      await api().sellers.upload({ ...seller, logo: { mediaType, bytes } });
      setError(null);
      notify(t.logoChanged);
    } catch (failure) {
      setError(asError(failure));
    }
  };
  return (
    <Section title={t.logo}>
      {url === null ? <p class="empty">{t.noLogo}</p> : <img class="logo" src={url} alt={t.logo} />}
      {error !== null && <Problem error={error} />}
      {may('tenant_kvs:add') && (
        <label>
          {t.changeLogo}
          <input
            type="file"
            accept="image/png,image/jpeg,image/svg+xml"
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file !== undefined) void upload(file);
            }}
          />
        </label>
      )}
    </Section>
  );
}
