// Starts the application:
//   npm run saas                                      on herald.db, with the sandbox gateway
//   DATABASE=postgresql://… STRIPE_SECRET_KEY=sk_… …  on PostgreSQL, with Stripe
import { openApp } from './app.ts';
import { paymentsOf } from './card.ts';

const { DATABASE: place = 'herald.db', PORT: port = '3000' } = process.env;
const app = await openApp({ place, ...paymentsOf(process.env) });
app.billing.start();
const listener = app.server.listen(Number(port), '127.0.0.1', () => {
  const address = listener.address();
  const opened = typeof address === 'object' ? address?.port : port;
  console.log(`Herald is ready at http://127.0.0.1:${opened}`);
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    listener.closeAllConnections();
    listener.close(() => void app.close());
  });
}
