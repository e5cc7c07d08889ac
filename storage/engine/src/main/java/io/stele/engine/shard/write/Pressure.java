package io.stele.engine.shard.write;

/**
 * The backpressure on the writers of a shard: a number for how far flushes and compactions are
 * behind them. At or below 0 they are not behind. At or above 1 they are so far behind that writes
 * must stop. Between 0 and 1, writes are slowed down.
 *
 * @param level of the cause that is furthest behind
 */
public record Pressure(double level) {
    static final Pressure NONE = new Pressure(0);
    public static final Pressure STOP = new Pressure(1);

    // A shard that writes faster than the slow rate when pressure begins would only be stopped the
    // sooner; at the end enough remains for small writes to come through.
    private static final double FASTEST_SLOW_BYTES = 64 << 20; // a second
    private static final double SLOWEST_SLOW_BYTES = 1 << 20;

    public Pressure {
        if (Double.isNaN(level)) {
            throw new IllegalArgumentException("Expected a level, found " + level);
        }
    }

    /**
     * The pressure of a value: 0 at {@code slow}, where slowing down begins, and 1 at {@code stop}.
     */
    public static Pressure of(double value, double slow, double stop) {
        return new Pressure((value - slow) / (stop - slow));
    }

    public Pressure max(Pressure other) {
        return other.level > level ? other : this;
    }

    boolean isStop() {
        return level >= 1;
    }

    boolean isSlow() {
        return level > 0 && level < 1;
    }

    /**
     * The bytes per second that a slowed shard may write: they fall quickly as the pressure rises.
     */
    double bytesPerSecond() {
        double left = 1 - Math.clamp(level, 0, 1);
        return SLOWEST_SLOW_BYTES + (FASTEST_SLOW_BYTES - SLOWEST_SLOW_BYTES) * left * left;
    }
}
