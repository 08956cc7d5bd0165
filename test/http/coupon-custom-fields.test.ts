import type { CustomField, TenantBilling, Uuid } from '../../lib/index.ts';
import {
  aliasHeaders,
  basic,
  eachDatabase,
  expect,
  expectRefusal,
  expectStatus,
  serveEach,
} from '../support/http/index.ts';
import { expectCode, newEvents } from '../support/index.ts';

type ShownField = Readonly<Record<'customFieldId' | 'objectType' | 'objectId' | 'name' | 'value', string>>;

interface AuditRow {
  readonly changeType: string;
  readonly history: Readonly<Record<string, unknown>>;
}

const fieldsPath = '/coupons/spring/customFields';

eachDatabase.describe('coupon custom fields (coupons §6)', (open) => {
  const serving = serveEach(open);
  let acme: TenantBilling;
  let couponId: Uuid;

  beforeEach(async () => {
    const { billing } = serving;
    acme = billing.as({ tenant: await billing.tenants.getByApiKey('bob'), user: 'test' });
    const coupon = await acme.coupons.create({ code: 'SPRING', percentOff: '20', duration: 'FOREVER' });
    couponId = coupon.id;
  });

  const send = (request: string, body?: object, headers = {}) => {
    const [method = '', path = ''] = request.split(' ');
    return serving.call(method, `/1.0/kb${path}`, { headers, ...(body && { body }) });
  };
  const list = async (path: string, headers = {}) =>
    expectStatus(await send(`GET ${path}`, undefined, headers), 200).json as readonly ShownField[];
  const pairs = (fields: readonly Pick<CustomField, 'name' | 'value'>[]) =>
    fields.map(({ name, value }) => `${name}=${value}`);
  const addThree = () =>
    send(`POST ${fieldsPath}`, [
      { name: 'campaign', value: 'spring' },
      { name: 'owner', value: 'kim' },
      { name: 'region', value: 'eu' },
    ]);

  it('are added, changed, listed and removed by the code of the coupon', async () => {
    const created = expectStatus(await addThree(), 201);
    expect(created.headers.get('location')).to.equal(`${serving.url}/1.0/kb${fieldsPath}`);
    const [campaign, owner] = await list(fieldsPath);
    expect(campaign).to.include({ objectType: 'COUPON', objectId: couponId, value: 'spring' });
    const change = [{ customFieldId: campaign?.customFieldId, value: 'summer' }];
    expectStatus(await send(`PUT ${fieldsPath}`, change), 204);
    expectStatus(await send(`DELETE ${fieldsPath}?customField=${owner?.customFieldId}`), 204);
    expect(pairs(await list('/coupons/SPRING/customFields'))).to.eql(['campaign=summer', 'region=eu']);
    expectRefusal(await send(`POST ${fieldsPath}`, [{ name: 'region', value: 'eu' }]), 400, 9000);
    expectStatus(await send(`DELETE ${fieldsPath}`), 204);
    expect(await list(fieldsPath)).to.eql([]);
  });

  it('cannot be read or changed for an unknown coupon', async () => {
    const path = '/coupons/none/customFields';
    expectRefusal(await send(`GET ${path}`), 404, 62001);
    expectRefusal(await send(`POST ${path}`, [{ name: 'a', value: 'b' }]), 404, 62001);
    expectRefusal(await send(`PUT ${path}`, []), 404, 62001);
    expectRefusal(await send(`DELETE ${path}`), 404, 62001);
    const { id } = await acme.createAccount({});
    const unknown = { type: 'COUPON', id } as const;
    const operations = [
      acme.customFields.ofObject(unknown),
      acme.customFields.add(unknown, [{ name: 'a', value: 'b' }]),
      acme.customFields.remove(unknown, []),
    ];
    for (const operation of operations) await expectCode(operation, 'COUPON_NOT_FOUND');
  });

  it('are separate from the fields of other coupons', async () => {
    await addThree();
    const [field] = await list(fieldsPath);
    const { id } = await acme.coupons.create({ code: 'OTHER', percentOff: '5', duration: 'ONCE' });
    const other = { type: 'COUPON', id } as const;
    expect(await acme.customFields.ofObject(other)).to.eql([]);
    const change = [{ customFieldId: field?.customFieldId, value: 'x' }];
    expectRefusal(await send('PUT /coupons/OTHER/customFields', change), 400, 9002);
    await acme.customFields.add(other, [{ name: 'campaign', value: 'spring' }]);
    await acme.customFields.remove(other, []);
    expect(pairs(await list(fieldsPath))).to.eql(['campaign=spring', 'owner=kim', 'region=eu']);
  });

  it('are found by object type, name, value and text, and belong to no account', async () => {
    const account = await acme.createAccount({});
    await addThree();
    await acme.coupons.redeem({ code: 'SPRING', accountId: account.id });
    const search = '/customFields/search';
    expect(pairs(await list(`${search}?objectType=COUPON&fieldName=owner`))).to.eql(['owner=kim']);
    expect(await list(`${search}?objectType=COUPON&fieldName=owner&fieldValue=jo`)).to.eql([]);
    expect(await list(`${search}?objectType=ACCOUNT&fieldName=owner`)).to.eql([]);
    expect(pairs(await list(`${search}/KIM`))).to.eql(['owner=kim']);
    expect(await list(`${search}/coupon`)).to.have.length(3);
    expect(await list('/customFields/pagination')).to.have.length(3);
    expect(await acme.customFields.ofAccount(account.id)).to.eql([]);
    const exported = await send(`GET /export/${account.id}`);
    expect(expectStatus(exported, 201).text).to.not.include('campaign');
  });

  it('emit events without an account, and have an audit log', async () => {
    const nextEvents = newEvents(serving.database);
    await nextEvents();
    const object = { type: 'COUPON', id: couponId } as const;
    await acme.customFields.add(object, [{ name: 'campaign', value: 'spring' }]);
    const [field] = await acme.customFields.ofObject(object);
    await acme.customFields.modify(object, [{ customFieldId: field?.id ?? null, value: 'summer' }]);
    await acme.customFields.remove(object, []);
    expect(await nextEvents()).to.eql(['CUSTOM_FIELD_CREATION', 'CUSTOM_FIELD_DELETION']);
    await serving.billing.settle();
    const { events } = await acme.events.list({ types: ['CUSTOM_FIELD_CREATION'] });
    expect(events.map(({ accountId, objectType, objectId }) => [accountId, objectType, objectId])).to.eql([
      [null, 'CUSTOM_FIELD', field?.id],
    ]);
    const history = await send(`GET /customFields/${field?.id}/auditLogsWithHistory`);
    const rows = expectStatus(history, 200).json as readonly AuditRow[];
    expect(rows.map(({ changeType, history: of }) => [changeType, of.objectType, of.fieldValue])).to.eql([
      ['INSERT', 'COUPON', 'spring'],
      ['UPDATE', 'COUPON', 'summer'],
      ['DELETE', 'COUPON', 'summer'],
    ]);
  });

  it('do not appear in lists, searches or audit logs of dialect K', async () => {
    const account = await acme.createAccount({});
    await addThree();
    await acme.customFields.add({ type: 'ACCOUNT', id: account.id }, [{ name: 'owner', value: 'kim' }]);
    const [field] = await list(fieldsPath);
    const search = '/customFields/search';
    for (const path of ['/customFields/pagination', `${search}/kim`, `${search}/o`]) {
      const reply = expectStatus(await send(`GET ${path}`, undefined, aliasHeaders), 200);
      const shown = reply.json as readonly ShownField[];
      expect(shown.map(({ objectType }) => objectType)).to.eql(['ACCOUNT']);
      expect(reply.headers.get('x-killbill-pagination-maxnbrecords')).to.equal('1');
      expect(reply.headers.get('x-killbill-pagination-totalnbrecords')).to.equal('1');
    }
    expect(await list(`${search}?objectType=COUPON&fieldName=owner`, aliasHeaders)).to.eql([]);
    const history = `/customFields/${field?.customFieldId}/auditLogsWithHistory`;
    expect(await list(history)).to.have.length(1);
    expect(await list(history, aliasHeaders)).to.eql([]);
  });

  it('cannot be changed without the permission for custom fields', async () => {
    const permissions = ['coupon:view', 'coupon:manage'];
    expectStatus(await send('POST /security/roles', { role: 'coupons', permissions }), 201);
    const user = { username: 'sam', password: 'password', roles: ['coupons'] };
    expectStatus(await send('POST /security/users', user), 201);
    const headers = { authorization: basic('sam', 'password') };
    const body = [{ name: 'a', value: 'b' }];
    expectStatus(await send(`POST ${fieldsPath}`, body, headers), 403);
    expectStatus(await send(`DELETE ${fieldsPath}`, undefined, headers), 403);
    expect(await list(fieldsPath, headers)).to.eql([]);
  });
});
