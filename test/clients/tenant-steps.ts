import { expect } from 'chai';
import type { UserRoles } from 'killbill';
import { BY, type JourneyOf } from './journey.ts';
import { failureOf } from './killbill-client.ts';

export function describeTenants(journey: JourneyOf): void {
  describe('tenants', () => {
    it('are created, and found by id and key', async () => {
      const { tenant } = journey().client;
      // The package sends no tenant with this call and would follow `Location` without one, so the caller adds the new
      // tenant.
      const headers = { 'X-Killbill-ApiKey': 'carol', 'X-Killbill-ApiSecret': 'secret' };
      const body = { apiKey: 'carol', apiSecret: 'secret', externalKey: 'third' };
      const made = await tenant.createTenant(body, BY, true, 'reason', 'comment', { headers });
      expect(made.status).to.equal(201);
      expect(made.data).to.include({ apiKey: 'carol', externalKey: 'third', apiSecret: null });
      const { data } = await tenant.getTenantByApiKey('carol');
      expect(data).to.eql(made.data);
      expect((await tenant.getTenant(String(data.tenantId))).data).to.eql(data);
      const again = await failureOf(tenant.createTenant(body, BY));
      expect(again).to.deep.include({ status: 409 });
      expect(again.body).to.include({ code: 20000 });
    });

    it('store values by key', async () => {
      const { tenant } = journey().client;
      const made = await tenant.insertUserKeyValue('a value', 'my key/1', BY);
      expect(made.status).to.equal(201);
      expect(made.data).to.deep.include({ key: 'my key/1', values: ['a value'] });
      await tenant.insertUserKeyValue('{"json":"too"}', 'my key/1', BY);
      expect((await tenant.getUserKeyValue('my key/1')).data.values).to.eql(['a value', '{"json":"too"}']);
      expect((await tenant.deleteUserKeyValue('my key/1', BY)).status).to.equal(204);
      expect((await tenant.getUserKeyValue('my key/1')).data.values).to.eql([]);
    });

    it('store configurations for themselves and for plugins', async () => {
      const { tenant } = journey().client;
      const settings = '{"org.killbill.payment.retry.days":"1,2"}';
      expect((await tenant.uploadPerTenantConfiguration(settings, BY)).data).to.deep.include({
        key: 'PER_TENANT_CONFIG',
        values: [settings],
      });
      expect((await tenant.getPerTenantConfiguration()).data.values).to.eql([settings]);
      const wrong = '{"org.killbill.payment.retry.days":"soon"}';
      expect((await failureOf(tenant.uploadPerTenantConfiguration(wrong, BY))).status).to.equal(400);
      expect((await tenant.deletePerTenantConfiguration(BY)).status).to.equal(204);
      expect((await tenant.getPerTenantConfiguration()).data.values).to.eql([]);

      const plugin = await tenant.uploadPluginConfiguration('url=http://x', 'a-plugin', BY);
      expect(plugin.data).to.deep.include({ key: 'PLUGIN_CONFIG_a-plugin', values: ['url=http://x'] });
      expect((await tenant.getPluginConfiguration('a-plugin')).data).to.eql(plugin.data);
      expect((await tenant.getAllPluginConfiguration('PLUGIN_CONFIG_')).data).to.eql([plugin.data]);
      expect((await tenant.deletePluginConfiguration('a-plugin', BY)).status).to.equal(204);
      expect((await tenant.getPluginConfiguration('a-plugin')).data.values).to.eql([]);

      const machine = '<stateMachineConfig/>';
      const stored = await tenant.uploadPluginPaymentStateMachineConfig(machine, 'a-plugin', BY);
      expect(stored.data.values).to.eql([machine]);
      expect((await tenant.getPluginPaymentStateMachineConfig('a-plugin')).data).to.eql(stored.data);
      expect((await tenant.deletePluginPaymentStateMachineConfig('a-plugin', BY)).status).to.equal(204);
    });

    it('register a notification callback', async () => {
      const { tenant } = journey().client;
      const callback = 'https://example.com/events?from=billing';
      const made = await tenant.registerPushNotificationCallback(BY, callback);
      expect(made.data).to.deep.include({ key: 'PUSH_NOTIFICATION_CB', values: [callback] });
      expect((await tenant.getPushNotificationCallbacks()).data).to.eql(made.data);
      expect((await tenant.deletePushNotificationCallbacks(BY)).status).to.equal(204);
      expect((await tenant.getPushNotificationCallbacks()).data.values).to.eql([]);
    });
  });
}

export function describeSecurity(journey: JourneyOf): void {
  describe('security', () => {
    it('shows the logged-in user and its permissions', async () => {
      const { security } = journey().client;
      expect((await security.getCurrentUserPermissions()).data).to.eql(['*:*']);
      expect((await security.getCurrentUserSubject()).data).to.include({
        principal: 'admin',
        isAuthenticated: true,
      });
    });

    it('defines roles', async () => {
      const { security } = journey().client;
      const made = await security.addRoleDefinition({ role: 'a clerk', permissions: ['tag:add'] }, BY);
      expect(made.data).to.deep.include({ role: 'a clerk', permissions: ['tag:add'] });
      await security.updateRoleDefinition({ role: 'a clerk', permissions: ['tag:add', 'account'] }, BY);
      const { data } = await security.getRoleDefinition('a clerk');
      expect([...(data.permissions ?? [])].toSorted()).to.eql(['account:*', 'tag:add']);
      const refused = await failureOf(security.addRoleDefinition({ role: 'x', permissions: ['a:b:c'] }, BY));
      expect(refused).to.deep.include({ status: 400 });
      expect(refused.body).to.include({ code: 40005 });
    });

    it('adds, changes and deletes users', async () => {
      const { security } = journey().client;
      const made = await security.addUserRoles(
        { username: 'Mad Max', password: 'password', roles: ['a clerk'] },
        BY,
      );
      expect(made.status).to.equal(201);
      expect(made.data).to.deep.include({ username: 'Mad Max', roles: ['a clerk'], password: null });
      await security.updateUserPassword({ password: 'new password' } as UserRoles, 'Mad Max', BY);
      await security.updateUserRoles({ roles: ['admin', 'a clerk'] } as UserRoles, 'Mad Max', BY);
      const { data } = await security.getUserRoles('Mad Max');
      expect([...(data.roles ?? [])].toSorted()).to.eql(['a clerk', 'admin']);
      expect((await security.invalidateUser('Mad Max', BY)).status).to.equal(204);
      expect((await failureOf(security.getUserRoles('Mad Max'))).status).to.equal(400);
    });
  });
}
