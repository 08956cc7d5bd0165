import { texts } from '../../adapters/console/texts.ts';
import { browserBefore } from '../support/console/chromium.ts';
import { consoleBefore } from '../support/console/serving.ts';
import { tabBeforeEach } from '../support/console/tab.ts';
import { anyDatabase, expect } from '../support/index.ts';

anyDatabase.describe('console clock bar', (open) => {
  const browser = browserBefore();
  const server = consoleBefore(open, { isTestMode: true });
  const current = tabBeforeEach(browser, server);

  it('moves the time and lists the events of the skipped period with their account names', async () => {
    const { tab } = current;
    await tab.visit('/');
    await tab.shows('7 Dec 2026, 10:00 UTC', '.clock-bar');
    await tab.press('+1 month');
    await tab.shows(texts.clock.happened, 'dialog');
    await tab.shows('7 Jan 2027, 10:00 UTC', '.clock-bar');
    const happened = await tab.text('dialog');
    expect(happened).to.include('Invoice creation').and.to.include('Chiyo Arai');
  });

  it('sets the time to a chosen date', async () => {
    const { tab } = current;
    await tab.visit('/');
    await tab.press('Set date');
    await tab.fill('Date', '02152027');
    await tab.submit();
    await tab.shows('15 Feb 2027', '.clock-bar');
  });
});
