package io.stele.protocol;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.time.Instant;

/**
 * A log sequence number: a hybrid logical clock of 48 bits of milliseconds since 1970 and a 16-bit
 * counter.
 *
 * <p>It orders all writes, and identifies row versions, commits and snapshots. LSNs are unique and
 * increasing within a shard and comparable between shards, so every LSN identifies a snapshot.
 *
 * <p>Invariant: {@code 0 <= value}; the time ends in the year 6429.
 */
public record Lsn(@JsonValue long value) implements Comparable<Lsn> {
    private static final int COUNTER_BITS = 16;
    private static final int COUNTER_MASK = (1 << COUNTER_BITS) - 1;

    /** The least LSN, which no write has. */
    public static final Lsn MIN = new Lsn(0);

    /** The greatest LSN: a read at it sees everything applied so far. */
    public static final Lsn MAX = new Lsn(Long.MAX_VALUE);

    @JsonCreator(mode = JsonCreator.Mode.DELEGATING)
    public Lsn {
        if (value < 0) {
            throw new IllegalArgumentException("Expected an LSN >= 0, found " + value);
        }
    }

    /** Composes an LSN; {@code millis} must fit 47 bits and {@code counter} 16 bits. */
    public static Lsn of(long millis, int counter) {
        if (millis < 0 || millis > Long.MAX_VALUE >> COUNTER_BITS) {
            throw new IllegalArgumentException("Expected milliseconds in 47 bits, found " + millis);
        }
        if (counter < 0 || counter > COUNTER_MASK) {
            throw new IllegalArgumentException("Expected a counter in 16 bits, found " + counter);
        }
        return new Lsn(millis << COUNTER_BITS | counter);
    }

    /** The time in epoch milliseconds. */
    public long millis() {
        return value >>> COUNTER_BITS;
    }

    /** The position among the LSNs of one millisecond, from 0. */
    public int counter() {
        return (int) value & COUNTER_MASK;
    }

    @Override
    public int compareTo(Lsn other) {
        return Long.compare(value, other.value);
    }

    /** The value and its time, for messages about a point in time. */
    public String withTime() {
        return this + " (" + Instant.ofEpochMilli(millis()) + ")";
    }

    /** The decimal value, as in file names. */
    @Override
    public String toString() {
        return Long.toString(value);
    }
}
