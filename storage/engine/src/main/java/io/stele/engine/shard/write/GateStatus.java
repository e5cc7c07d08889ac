package io.stele.engine.shard.write;

/**
 * The state of the write gate of a shard, with counters of delayed writes since the start.
 *
 * @param state 0 open, 1 slowed, 2 stopped
 * @param slowdowns how often a slowdown began
 * @param slowMillis total time of the slowdowns, in milliseconds
 * @param stops how often writes stopped
 * @param stopMillis total time of the stops, in milliseconds
 * @param heldWrites batches that had to wait
 */
public record GateStatus(
        int state, long slowdowns, long slowMillis, long stops, long stopMillis, long heldWrites) {
    /** Nothing was ever held back. */
    public static final GateStatus OPEN = new GateStatus(0, 0, 0, 0, 0, 0);

    /** The sum of the counters of both, with the worse state. */
    public GateStatus plus(GateStatus other) {
        return new GateStatus(
                Math.max(state, other.state),
                slowdowns + other.slowdowns,
                slowMillis + other.slowMillis,
                stops + other.stops,
                stopMillis + other.stopMillis,
                heldWrites + other.heldWrites);
    }
}
