import { anyDatabase, expect } from '../support/http/index.ts';
import { aliasHeaders, createAccount, createdId, type Reply, serveOnce } from '../support/http/serving.ts';

anyDatabase.describe('payment method API (payments §10)', (open) => {
  const serving = serveOnce(open);
  const { call, post, get, put } = serving;
  let accountId: string;
  beforeEach(async () => {
    accountId = await createAccount(serving);
  });

  const add = async (query = '', body: object = {}) =>
    createdId(
      await post(`/accounts/${accountId}/paymentMethods${query}`, {
        pluginName: 'killbill-payment-test',
        ...body,
      }),
    );
  const remove = (id: string, query = '', headers = {}) =>
    call('DELETE', `/1.0/kb/paymentMethods/${id}${query}`, { headers });
  const codeOf = ({ json }: Reply) => (json as { code?: number }).code;
  const idsOf = ({ json }: Reply) =>
    (json as { paymentMethodId: string }[]).map(({ paymentMethodId }) => paymentMethodId);
  const tags = async () => {
    const { json } = await get(`/accounts/${accountId}/tags`);
    return (json as { tagDefinitionName: string }[]).map(({ tagDefinitionName }) => tagDefinitionName);
  };

  it('returns 500 in dialect D and 400 in dialect K if the default method is deleted and neither deletion flag is set (http-api §4 line 7)', async () => {
    const id = await add('?isDefault=true');
    for (const [headers, status] of [
      [{}, 500],
      [aliasHeaders, 400],
    ] as const) {
      const refused = await remove(id, '', headers);
      expect([refused.status, codeOf(refused)]).to.eql([status, 7022]);
    }
    expect((await remove(id, '?forceDefaultPmDeletion=true')).status).to.equal(204);
    expect((await remove(id)).status).to.equal(404);
    expect(await tags()).to.eql([]);
  });

  it('deletes the default and adds AUTO_PAY_OFF if deleteDefaultPmWithAutoPayOff is set (payments §10.3)', async () => {
    const id = await add('?isDefault=true');
    expect((await remove(id, '?deleteDefaultPmWithAutoPayOff=true')).status).to.equal(204);
    expect(await tags()).to.eql(['AUTO_PAY_OFF']);
    const { json } = await get(`/accounts/${accountId}`);
    expect(json).to.include({ paymentMethodId: null });
  });

  it('includes deleted methods in reads by id, key or account only with includedDeleted (payments §10.2)', async () => {
    const externalKey = `key ${accountId}`;
    const id = await add('', { externalKey });
    await remove(id);
    const byKey = `/1.0/kb/paymentMethods?externalKey=${encodeURIComponent(externalKey)}`;
    for (const path of [`/1.0/kb/paymentMethods/${id}?`, `${byKey}&`]) {
      const without = await call('GET', path);
      expect([without.status, codeOf(without)], path).to.eql([404, 7000]);
      const found = await call('GET', `${path}includedDeleted=true`);
      expect(found.json).to.deep.include({ paymentMethodId: id, externalKey });
    }
    const list = `/1.0/kb/accounts/${accountId}/paymentMethods`;
    expect(idsOf(await call('GET', list))).to.eql([]);
    expect(idsOf(await call('GET', `${list}?includedDeleted=true`))).to.eql([id]);
  });

  it('paginates lists and search results (payments §10.2)', async () => {
    const ids = [await add('?isDefault=true'), await add(), await add()];
    const path = `/1.0/kb/paymentMethods/search/${accountId}`;
    const found = await call('GET', `${path}?offset=1&limit=1`);
    expect(idsOf(found)).to.eql([ids[1]]);
    expect(found.headers.get('x-killbill-pagination-totalnbrecords')).to.equal('3');
    expect(found.headers.get('x-killbill-pagination-nextoffset')).to.equal('2');
    const listed = await get('/paymentMethods/pagination?limit=-3');
    expect(idsOf(listed)).to.eql([...ids].reverse());
    const defaults = (listed.json as { isDefault: boolean }[]).map(({ isDefault }) => isDefault);
    expect(defaults).to.eql([false, false, true]);
    const none = await get('/paymentMethods/pagination?pluginName=__EXTERNAL_PAYMENT__');
    expect(idsOf(none)).to.eql([]);
    const unknown = await call('GET', `${path}?pluginName=nobody`);
    expect([unknown.status, codeOf(unknown)]).to.eql([400, 7028]);
  });

  it('searches the specified gateway, or all gateways with withPluginInfo (payments §10.2)', async () => {
    const value = `4242-${accountId}`;
    const id = await add('', { pluginInfo: { properties: [{ key: 'number', value }] } });
    const path = `/1.0/kb/paymentMethods/search/${value}`;
    expect(idsOf(await call('GET', path))).to.eql([]);
    expect(idsOf(await call('GET', `${path}?pluginName=killbill-payment-test`))).to.eql([id]);
    const all = await call('GET', `${path}?withPluginInfo=true`);
    expect(all.json).to.have.nested.property('[0].pluginInfo.properties[0].value', value);
  });

  it('accepts pluginName and PluginName in a refresh and keeps existing methods unchanged (payments §10.5)', async () => {
    const ids = [await add('?isDefault=true'), await add()];
    const refresh = (query: string) => put(`/accounts/${accountId}/paymentMethods/refresh${query}`);
    for (const query of ['', '?pluginName=killbill-payment-test', '?PluginName=killbill-payment-test']) {
      expect((await refresh(query)).status).to.equal(204);
      expect(idsOf(await get(`/accounts/${accountId}/paymentMethods`))).to.eql(ids);
    }
    for (const name of ['pluginName', 'PluginName']) {
      const unknown = await refresh(`?${name}=nobody&${name}=killbill-payment-test`);
      expect([unknown.status, codeOf(unknown)]).to.eql([400, 7028]);
    }
  });
});
