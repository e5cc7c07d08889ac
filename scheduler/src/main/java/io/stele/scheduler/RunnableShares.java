package io.stele.scheduler;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The number and the shares of a scheduling group's runnable members: contexts, or nested groups
 * that have a runnable context. Lock-free; every method may be called from any thread.
 *
 * <p>Invariant: the shares of a parent are never below the sum over its nested groups with runnable
 * members, and equal to it when no call is in progress.
 */
final class RunnableShares {
    /*
     * One word has the sum of the members' shares (lowest bits: 10,000 shares times 100,000
     * members), their number (a million), and the shares with which a nested group has entered its
     * parent, so that it leaves with the same number when its shares have changed meanwhile. A
     * nested group is a member of its parent while its own word is not zero.
     *
     * It enters the parent before its own word is set, and leaves after it is cleared: a momentary
     * excess only delays a turn, while a deficit would wrap around zero, and the average of the
     * shares rises at once.
     */
    private static final int COUNT_SHIFT = 30;
    private static final int CLAIMED_SHIFT = 50;
    private static final long ONE_MEMBER = 1L << COUNT_SHIFT;
    private static final long SHARES_MASK = ONE_MEMBER - 1;
    private static final long MEMBERS_MASK = (1L << CLAIMED_SHIFT) - 1;

    private final AtomicLong word = new AtomicLong();
    private final @Nullable RunnableShares parent;
    private final AtomicInteger groupShares; // of the group in its parent

    /** Of a group without a parent. */
    RunnableShares() {
        this.parent = null;
        this.groupShares = new AtomicInteger();
    }

    /**
     * @param groupShares the shares of the nested group; {@link #sharesChanged} follows each change
     */
    RunnableShares(RunnableShares parent, AtomicInteger groupShares) {
        this.parent = parent;
        this.groupShares = groupShares;
    }

    /** The number of runnable members. */
    long count() {
        return (word.get() & MEMBERS_MASK) >>> COUNT_SHIFT;
    }

    /** The sum of their shares. */
    long shares() {
        return word.get() & SHARES_MASK;
    }

    /** Called when a member becomes runnable. */
    void enter(int memberShares) {
        RunnableShares above = parent;
        if (above == null) {
            word.addAndGet(ONE_MEMBER + memberShares);
            return;
        }
        while (true) {
            long before = word.get();
            boolean isFirst = before == 0;
            int claimed = isFirst ? groupShares.get() : claimedOf(before);
            if (isFirst) {
                above.enter(claimed);
            }
            long members = (before & MEMBERS_MASK) + ONE_MEMBER + memberShares;
            if (word.compareAndSet(before, withClaimed(members, claimed))) {
                if (isFirst) {
                    sharesChanged(); // perhaps, before the word was set
                }
                return;
            }
            if (isFirst) {
                above.leave(claimed);
            }
        }
    }

    /** Called when a member is no longer runnable. */
    void leave(int memberShares) {
        RunnableShares above = parent;
        if (above == null) {
            word.addAndGet(-ONE_MEMBER - memberShares);
            return;
        }
        while (true) {
            long before = word.get();
            long after = before - ONE_MEMBER - memberShares;
            boolean isLast = (after & MEMBERS_MASK) == 0;
            if (word.compareAndSet(before, isLast ? 0 : after)) {
                if (isLast) {
                    above.leave(claimedOf(before));
                }
                return;
            }
        }
    }

    /** Claims the present shares of the group from the parent, if the group is a member there. */
    void sharesChanged() {
        RunnableShares above = parent;
        while (above != null) {
            long before = word.get();
            int claimed = claimedOf(before);
            int present = groupShares.get();
            if (before == 0 || claimed == present) {
                return;
            }
            int more = Math.max(0, present - claimed);
            int less = Math.max(0, claimed - present);
            above.word.addAndGet(more);
            boolean isChanged =
                    word.compareAndSet(before, withClaimed(before & MEMBERS_MASK, present));
            above.word.addAndGet(isChanged ? -less : -more);
        }
    }

    private static int claimedOf(long word) {
        return (int) (word >>> CLAIMED_SHIFT);
    }

    private static long withClaimed(long members, int claimed) {
        return (long) claimed << CLAIMED_SHIFT | members;
    }
}
