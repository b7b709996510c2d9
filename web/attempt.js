// Returns the result of `act`, or `otherwise` if it throws an error.
export function attempt(act, otherwise = null) {
  try {
    return act();
  } catch {
    return otherwise;
  }
}
