// L10: turn starts and ends alternate in every log. Appending is not checked for it: a second start, and a second end, are
// accepted (the optional companion dsh-session/invariant rejects them).

import { boot, report } from './runtime.mjs';

const { ctx } = await boot();
const session = ctx.sessions.create('z');
const append = (type, data) => {
  try {
    session.append(type, data);
    return 'accepted';
  } catch (error) {
    return error.message;
  }
};
const end = { turn: 1, reason: { kind: 'completed' } };
const seen = [
  append('turn/start', { turn: 1 }), append('turn/start', { turn: 1 }), append('turn/end', end), append('turn/end', end),
];
report({
  clause: 'L10: append turn/start twice, then turn/end twice',
  expected: 'accepted, refused, accepted, refused',
  seen: seen.join(', '),
  departs: seen.every((answer) => answer === 'accepted'),
});
