package io.stele.engine.wal;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.Lsn;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * A hybrid logical clock: LSNs that follow wall time in milliseconds and always increase, even if
 * the wall clock does not.
 *
 * <p>Rows expire by these LSNs and history is discarded by them, irreversibly. So a wall clock that
 * jumps away from the machine's steady one is not followed until it has stayed away for {@link
 * #HELD_MILLIS}; meanwhile the steady clock continues. This holds for a jump back too: rows that
 * were written after it would have LSNs of the past, and expire at once when the clock is
 * corrected.
 *
 * <p>At a start there is no steady clock of before. LSNs follow the wall clock at once, but the
 * time by which rows expire and history is discarded ({@link #expiryMillis}) continues from the
 * newest LSN written before, until the wall clock has stayed ahead for {@link #HELD_MILLIS}.
 *
 * <p>Invariant: each {@link #next} is above every LSN that was returned or observed before.
 * Invariant: the time of expiry never goes back. Guarded by itself.
 */
public final class HybridClock {
    /** The sign bit stays clear, so that LSNs compare as signed numbers: the year 6429. */
    private static final long MAX_MILLIS = (1L << 47) - 1;

    /** More than any slewing amounts to, and less than people notice of a late expiry. */
    static final long JUMP_MILLIS = 10_000;

    /** Long enough for an operator to notice a clock that was set wrong, and to correct it. */
    static final long HELD_MILLIS = 10 * 60_000;

    private static final long NO_JUMP = Long.MIN_VALUE;

    private final LongSupplier wallMillis;
    private final LongSupplier steadyMillis;
    private final boolean isGuarded;
    private long last;
    private long presentMillis;
    private long newestWritten; // of the LSNs observed
    private long offsetMillis; // from the steady clock to the followed time
    private long jumpedMillis = NO_JUMP; // steady, when the wall clock was first seen away
    private long expiryMillis;
    private long expiryOffsetMillis; // from the steady clock, while expiry is held
    private long expiryHeldSinceMillis = NO_JUMP; // steady
    private boolean expires; // whether all that was written before has been observed

    /**
     * Follows a wall clock wherever it goes.
     *
     * @param wallMillis milliseconds since the epoch
     */
    public HybridClock(LongSupplier wallMillis) {
        this(wallMillis, wallMillis, false);
    }

    /**
     * Follows a wall clock, but no sudden jump.
     *
     * @param wallMillis milliseconds since the epoch
     * @param steadyMillis milliseconds since any moment, of a clock that is never set
     */
    public HybridClock(LongSupplier wallMillis, LongSupplier steadyMillis) {
        this(wallMillis, steadyMillis, true);
    }

    private HybridClock(LongSupplier wallMillis, LongSupplier steadyMillis, boolean isGuarded) {
        this.isGuarded = isGuarded;
        this.expires = !isGuarded;
        this.wallMillis = requireNonNull(wallMillis, "wallMillis is null");
        this.steadyMillis = requireNonNull(steadyMillis, "steadyMillis is null");
        this.offsetMillis = wallMillis.getAsLong() - steadyMillis.getAsLong();
    }

    /**
     * The milliseconds between the wall clock and the time that LSNs, or expiry alone, follow; 0 if
     * neither is held back.
     */
    public synchronized long heldMillis() {
        long offset = expiryHeldSinceMillis == NO_JUMP ? offsetMillis : expiryOffsetMillis;
        long ahead = wallMillis.getAsLong() - steadyMillis.getAsLong() - offset;
        return isJump(ahead) ? Math.abs(ahead) : 0;
    }

    private static boolean isJump(long aheadMillis) {
        return aheadMillis > JUMP_MILLIS || aheadMillis < -JUMP_MILLIS;
    }

    /**
     * Begins expiry, when every LSN of a start has been observed. If the wall clock is ahead of the
     * last write, the node was down or idle, or its clock is wrong, so expiry is held back.
     */
    public synchronized void beginExpiry() {
        expires = true;
        long steady = steadyMillis.getAsLong();
        long written = new Lsn(newestWritten).millis() - steady;
        // Where nothing was ever written, nothing can expire too early
        if (isGuarded && newestWritten > 0 && offsetMillis - written > JUMP_MILLIS) {
            expiryOffsetMillis = written;
            expiryHeldSinceMillis = steady;
        }
    }

    /**
     * The time by which rows expire and history is discarded, in epoch milliseconds; 0 before
     * {@link #beginExpiry}.
     */
    public synchronized long expiryMillis() {
        if (!expires) {
            return 0;
        }
        long followed = followedMillis();
        if (expiryHeldSinceMillis != NO_JUMP) {
            long steady = steadyMillis.getAsLong();
            long held = steady + expiryOffsetMillis;
            if (followed - held <= JUMP_MILLIS || steady - expiryHeldSinceMillis >= HELD_MILLIS) {
                expiryHeldSinceMillis = NO_JUMP;
            } else {
                followed = held;
            }
        }
        expiryMillis = Math.max(expiryMillis, Math.clamp(followed, 0, MAX_MILLIS));
        return expiryMillis;
    }

    private long followedMillis() {
        long steady = steadyMillis.getAsLong();
        long wall = wallMillis.getAsLong();
        if (!isJump(wall - steady - offsetMillis)) {
            offsetMillis = wall - steady;
            jumpedMillis = NO_JUMP;
        } else if (jumpedMillis == NO_JUMP) {
            jumpedMillis = steady;
        } else if (steady - jumpedMillis >= HELD_MILLIS) {
            offsetMillis = wall - steady;
            jumpedMillis = NO_JUMP;
        }
        return steady + offsetMillis;
    }

    /**
     * The present in epoch milliseconds: at or after the time of every LSN so far, and at or before
     * the time of every later LSN. It assigns no LSN.
     */
    public synchronized long presentMillis() {
        long followed = Math.clamp(followedMillis(), 0, MAX_MILLIS);
        presentMillis = Math.max(presentMillis, Math.max(followed, new Lsn(last).millis()));
        return presentMillis;
    }

    /** The next LSN: the present time, or one above the last. */
    public Lsn next() {
        synchronized (this) {
            long millis = presentMillis();
            if (last == Long.MAX_VALUE) {
                throw new IllegalStateException(
                        String.format(
                                Locale.ROOT,
                                "Expected an LSN below the maximum, found %d as the last",
                                last));
            }
            last = Math.max(last + 1, millis << 16);
            return new Lsn(last);
        }
    }

    /**
     * Moves the clock to at least {@code lsn}, the LSN of a change that was written elsewhere or
     * before a restart.
     */
    public synchronized void observe(Lsn lsn) {
        last = Math.max(last, lsn.value());
        newestWritten = Math.max(newestWritten, lsn.value());
    }

    /**
     * Moves the clock to at least an epoch. A start takes its epoch from its clock before anything
     * shows whether the clock is right, so an epoch does not count as the time of a write.
     */
    public synchronized void observeEpoch(long epoch) {
        last = Math.max(last, epoch);
    }

    /** The last LSN returned or observed. */
    public synchronized Lsn last() {
        return new Lsn(last);
    }
}
