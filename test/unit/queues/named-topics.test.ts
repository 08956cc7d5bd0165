import { expect } from 'chai';
import { topicsNamed } from '../../../lib/queues/queue-export-service.ts';

describe('queue names from callers (platform §9.4)', () => {
  it('may include the service, name only the service, or be absent', () => {
    expect(topicsNamed({})).to.equal(null);
    const [full, short] = ['payment-service:retry', 'retry'];
    for (const queueName of [full, short]) expect(topicsNamed({ queueName })).to.eql([full]);
    expect(topicsNamed({ serviceName: 'payment-service' })).to.eql([full, 'payment-service:janitor']);
    expect(topicsNamed({ serviceName: 'payment-service', queueName: 'janitor' })).to.eql([
      'payment-service:janitor',
    ]);
    for (const none of [{ queueName: 'nothing' }, { serviceName: 'invoice-service', queueName: short }])
      expect(topicsNamed(none)).to.eql([]);
  });
});
