package io.stele.engine.memtable;

import static java.util.Objects.requireNonNull;

import io.stele.engine.row.KeyedVersion;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

/**
 * An iterator that merges sorted runs of versions of one {@link VersionStore}, by key ascending,
 * newest first. Of versions with one key and LSN it returns only the last added.
 *
 * <p>A tournament of the runs' first versions (Knuth, The Art of Computer Programming 3, 5.4.1):
 * each step repeats only the matches that the winner's run had won. Confined to one thread.
 */
final class VersionMerge implements Iterator<KeyedVersion> {
    private final VersionStore versions;
    private final int[][] runs;
    private final int[] positions;
    private final int[] heads; // index of each run's first version, NONE at its end
    private final long[] prefixes; // of the keys of the heads
    private final int leaves; // a power of two
    private final int[] losers; // by node, the run that lost; at 0 the overall winner
    private int next; // index, or NONE
    private int last = VersionStore.NONE;

    /**
     * @param runs indexes of versions, each run sorted; no index occurs twice
     */
    VersionMerge(VersionStore versions, List<int[]> runs) {
        this.versions = requireNonNull(versions, "versions is null");
        this.runs = runs.toArray(new int[0][]);
        int count = this.runs.length;
        this.leaves = Math.max(1, Integer.highestOneBit(Math.max(1, 2 * count - 1)));
        this.positions = new int[leaves];
        this.heads = new int[leaves];
        this.prefixes = new long[leaves];
        this.losers = new int[leaves];
        for (int run = 0; run < leaves; run++) {
            positions[run] = -1;
            step(run);
        }
        losers[0] = play(1);
        this.next = advance();
    }

    @Override
    public boolean hasNext() {
        return next != VersionStore.NONE;
    }

    @Override
    public KeyedVersion next() {
        if (next == VersionStore.NONE) {
            throw new NoSuchElementException("No version left");
        }
        KeyedVersion version = versions.version(next);
        last = next;
        next = advance();
        return version;
    }

    private int advance() {
        while (true) {
            int winner = losers[0];
            int index = heads[winner];
            if (index == VersionStore.NONE) {
                return index;
            }
            step(winner);
            replay(winner);
            if (last == VersionStore.NONE
                    || versions.lsn(index) != versions.lsn(last)
                    || !versions.isSameKey(index, last)) {
                return index;
            } // else a later change of the same batch replaced the version
        }
    }

    private void step(int run) {
        int position = ++positions[run];
        boolean ended = run >= runs.length || position == runs[run].length;
        heads[run] = ended ? VersionStore.NONE : runs[run][position];
        prefixes[run] = ended ? 0 : versions.prefix(heads[run]);
    }

    /** The winner below a node; leaves are the nodes from {@link #leaves} on. */
    private int play(int node) {
        if (node >= leaves) {
            return node - leaves;
        }
        int left = play(2 * node);
        int right = play(2 * node + 1);
        boolean leftWins = isBefore(left, right);
        losers[node] = leftWins ? right : left;
        return leftWins ? left : right;
    }

    private void replay(int run) {
        int winner = run;
        for (int node = (run + leaves) >>> 1; node > 0; node >>>= 1) {
            int other = losers[node];
            if (isBefore(other, winner)) {
                losers[node] = winner;
                winner = other;
            }
        }
        losers[0] = winner;
    }

    private boolean isBefore(int run, int other) {
        int head = heads[run];
        int otherHead = heads[other];
        if (head == VersionStore.NONE || otherHead == VersionStore.NONE) {
            return head != VersionStore.NONE;
        }
        if (prefixes[run] != prefixes[other]) {
            return Long.compareUnsigned(prefixes[run], prefixes[other]) < 0;
        }
        int byKey = versions.compareKeys(head, otherHead);
        return byKey != 0 ? byKey < 0 : head > otherHead;
    }
}
