// What `act` gives, or something else where it throws an error.
export function attempt(act, otherwise = null) {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
