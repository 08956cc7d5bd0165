import { DocumentSourceLoader } from '../../lib/invoicing/index.ts';
import type { SellerInput } from '../../lib/records/index.ts';
import { DEFAULT_TENANT_SETTINGS } from '../../lib/tenants/index.ts';
import type { Uuid } from '../../lib/values/ids/index.ts';
import {
  eachDatabase,
  engineBeforeEach,
  expect,
  expectCode,
  messageOf,
  openShop,
  rowsOf,
} from '../support/index.ts';
import { jpeg, png, seller } from '../support/tenants/sellers.ts';

const nobody = '11111111-1111-4111-8111-111111111111';

eachDatabase.describe('seller records', (open) => {
  const engine = engineBeforeEach(open, { now: '2026-03-02T10:00:00Z' });
  const sellers = () => engine.acme.sellers;
  const upload = (more: Partial<SellerInput> = {}) => sellers().upload({ ...seller, ...more });

  it('are stored and returned with the logo (invoicing §14 rule 7)', async () => {
    expect(await sellers().get()).to.equal(null);
    expect(await sellers().list()).to.eql([]);
    const stored = await upload({ logo: { mediaType: 'image/png', bytes: png } });
    expect(stored).to.deep.include({
      ...seller,
      legalName: null,
      address2: null,
      createdDate: new Date('2026-03-02T10:00:00Z'),
      logo: { mediaType: 'image/png', bytes: png },
    });
    expect(await sellers().get()).to.eql(stored);
    expect(await sellers().logo(stored.id)).to.eql({ mediaType: 'image/png', bytes: png });
  });

  it('are listed with all versions, newest first and without logo bytes (invoicing §14 rule 7)', async () => {
    const first = await upload({ logo: { mediaType: 'image/jpeg', bytes: jpeg } });
    engine.clock.advance({ days: 1 });
    const second = await upload({ name: 'Orchard AG', logo: null });
    const versions = await sellers().list();
    expect(versions.map(({ id, name, logoMediaType }) => [id, name, logoMediaType])).to.eql([
      [second.id, 'Orchard AG', null],
      [first.id, seller.name, 'image/jpeg'],
    ]);
    expect(versions[0]).to.not.have.any.keys('logo');
    expect(await sellers().get()).to.eql(second);
    expect(await sellers().logo(second.id)).to.equal(null);
    await expectCode(sellers().logo(nobody), 60007);
  });

  it('can be read as of a given instant (invoicing §14 rule 7)', async () => {
    const at = async (instant: string) => (await sellers().at(instant))?.id ?? null;
    expect(await at('2026-03-02T10:00:00Z')).to.equal(null);
    const first = await upload();
    engine.clock.advance({ days: 1 });
    const second = await upload({ name: 'Orchard AG' });
    expect(await at('2026-03-02T09:59:59Z')).to.equal(first.id);
    expect(await at('2026-03-02T10:00:00Z')).to.equal(first.id);
    expect(await at('2026-03-03T09:59:59Z')).to.equal(first.id);
    expect(await at('2026-03-03T10:00:00Z')).to.equal(second.id);
    expect(await at('2999-01-01T00:00:00Z')).to.equal(second.id);
  });

  it('are stored as two versions if two uploads run simultaneously (invoicing §14 rule 7)', async () => {
    const uploaded = await Promise.all([upload({ name: 'One' }), upload({ name: 'Two' })]);
    const versions = await sellers().list();
    expect(versions.map(({ id }) => id)).to.have.members(uploaded.map(({ id }) => id));
    const newest = uploaded.reduce((one, other) => (one.recordId > other.recordId ? one : other));
    expect((await sellers().get())?.name).to.equal(newest.name);
    expect(versions[0]?.name).to.equal(newest.name);
  });

  it('are rejected with a list of all invalid and unknown fields, and are not stored (invoicing §14 rule 7)', async () => {
    const wrong = { country: 'D', iban: 'DE00', vatId: 'DE123456788' };
    const message = await messageOf(upload(wrong as Partial<SellerInput>));
    expect(message).to.match(
      /^Seller country "D" .*; Seller iban "DE00" .*; Seller vatId is not a valid member/,
    );
    await expectCode(sellers().upload({ city: 'Graz' } as SellerInput), 60003);
    expect(await sellers().list()).to.eql([]);
    const stored = await upload();
    expect(await sellers().upload({ ...stored, city: 'Graz' })).to.include({ city: 'Graz' });
  });

  it('are visible only to their tenant (platform §17 rule 2)', async () => {
    const { id } = await upload();
    const { acme: other } = await openShop(engine.billing, null);
    expect(await other.sellers.get()).to.equal(null);
    expect(await other.sellers.list()).to.eql([]);
    await expectCode(other.sellers.logo(id), 60007);
  });

  it('have an audit row for each upload (accounts §14 rule 1)', async () => {
    const { id } = await upload();
    const [row] = await rowsOf(
      engine.database,
      `select table_name, change_type from bw_audit_log where target_id = '${id}'`,
    );
    expect(row).to.include({ table_name: 'TENANT_KVS', change_type: 'INSERT' });
  });

  for (const [kind, text] of [
    ['markup', '<script>alert(1)</script>&amp;{{{x}}}'],
    ['control characters', 'a\u0001\u001b[31m\u0085b\r\n\tc'],
    ['a right-to-left override', 'abc\u202edcba\u2066x'],
    ['emoji', '👩‍👩‍👧‍👦🇦🇹'],
  ] as const)
    it(`preserve ${kind} in every text (invoicing §14 rule 7)`, async () => {
      const short = [...text].slice(0, 8).join('');
      const texts = {
        ...{ name: text, legalName: text, address1: text, address2: text, city: text, state: text },
        ...{ postalCode: short, taxId: text.trim(), registrationNumber: text, email: text, phone: short },
        ...{ bankName: text, notes: { DE: text, '*': text } },
      };
      await upload(texts);
      expect(await sellers().get()).to.deep.include(texts);
    });

  describe('on documents', () => {
    const charge = async (autoCommit: boolean) => {
      const { id: accountId } = await engine.acme.createAccount({ currency: 'EUR' });
      const [item] = await engine.acme.invoices.addCharges({
        accountId,
        autoCommit,
        items: [{ amount: '10' }],
      });
      if (item === undefined) throw new Error('no charge');
      return item.invoiceId;
    };
    const committed = () => charge(true);
    const draft = () => charge(false);

    /** Loads documents like the engine does. */
    const loader = () =>
      new DocumentSourceLoader(
        { storage: engine.storage, logger: engine.logger },
        { open: () => Promise.reject(new Error('no catalog')) },
        async () => DEFAULT_TENANT_SETTINGS,
      );
    const shown = async (invoiceId: Uuid) => {
      const context = await engine.billing.context({ tenant: engine.tenant, user: 'test' });
      return (await loader().load(context, invoiceId)).given.seller;
    };
    const missing = () =>
      engine.logger.lines.filter(({ message }) => message.startsWith('a document has no seller data'));

    it('appear on an invoice as of its commit date (invoicing §14 rule 7)', async () => {
      const first = await upload({ logo: { mediaType: 'image/png', bytes: png } });
      const old = await committed();
      const waiting = await draft();
      engine.clock.advance({ days: 1 });
      const second = await upload({ name: 'Orchard AG' });
      const young = await committed();
      expect(await shown(old)).to.deep.include({ id: first.id, logo: first.logo });
      expect(await shown(young)).to.include({ id: second.id });
      expect(await shown(waiting)).to.include({ id: second.id });
      engine.clock.advance({ days: 1 });
      await engine.acme.invoices.commit(waiting);
      engine.clock.advance({ days: 1 });
      await upload({ name: 'Orchard SE' });
      expect(await shown(waiting)).to.include({ id: second.id });
      await engine.acme.invoices.void(old);
      expect(await shown(old)).to.include({ id: first.id });
    });

    it('appear in their first version on an invoice dated before the first upload (invoicing §14 rule 7)', async () => {
      const invoiceId = await committed();
      const waiting = await draft();
      expect(await shown(invoiceId)).to.equal(null);
      engine.clock.advance({ days: 1 });
      const first = await upload();
      engine.clock.advance({ days: 1 });
      const second = await upload({ name: 'Orchard AG' });
      expect(await shown(invoiceId)).to.include({ id: first.id });
      expect(await shown(waiting)).to.include({ id: second.id });
    });

    it('are reported to the host in each call, but logged only once, if they are missing (invoicing §14 rule 7)', async () => {
      const invoiceId = await committed();
      let reports = 0;
      const onMissingSeller = () => {
        reports += 1;
      };
      const page = await engine.acme.invoices.html(invoiceId, { onMissingSeller });
      expect(reports).to.equal(1);
      expect(missing()).to.have.length(1);
      expect(missing()[0]).to.deep.include({ level: 'warn' });
      expect(missing()[0]?.fields).to.include({ invoiceId });
      expect(page).to.not.match(/seller/i);
      await engine.acme.invoices.html(invoiceId, { onMissingSeller });
      expect([reports, missing().length]).to.eql([2, 1]);
      engine.clock.advance({ days: 1 });
      await upload();
      await engine.acme.invoices.html(await committed(), { onMissingSeller });
      expect([reports, missing().length]).to.eql([2, 1]);
    });

    it('appear on a credit note as of its creation date (invoicing §14 rule 7)', async () => {
      const configuration = JSON.stringify({ 'org.service.invoice.creditNotes': 'true' });
      await engine.acme.keyValues.add('PER_TENANT_CONFIG', configuration);
      await upload();
      const invoiceId = await committed();
      engine.clock.advance({ days: 1 });
      await upload({ name: 'Orchard AG' });
      await engine.acme.invoices.void(invoiceId);
      engine.clock.advance({ days: 1 });
      await upload({ name: 'Orchard SE' });
      const [note] = await engine.acme.creditNotes.ofInvoice(invoiceId);
      expect(await engine.acme.creditNotes.html(note?.id ?? '')).to.contain('Orchard AG');
      expect(await engine.acme.invoices.html(invoiceId)).to.contain(seller.name);
      expect(missing()).to.eql([]);
    });
  });
});
