package io.stele.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The oracle of one shard that one client writes in order: the batches it sent, and the rows after
 * each of them. What a shard holds is always the rows after some first so many batches.
 */
final class SerialHistory {
    private static final int MAX_IN_FLIGHT = 8;

    private final List<Batch> batches = new ArrayList<>();

    /** The rows are those after at least {@code from} and at most {@code to} batches. */
    record Range(int from, int to) {}

    /** A batch that was sent at least once, and what it changes: ids to rows, empty: deleted. */
    static final class Batch {
        private final long sequence;
        private byte[] bytes;
        private final Map<Long, Optional<String>> changes;
        private State state = State.NEW;
        private Optional<Lsn> lsn = Optional.empty(); // where the first answer told it

        private Batch(long sequence, byte[] bytes, Map<Long, Optional<String>> changes) {
            this.sequence = sequence;
            this.bytes = bytes;
            this.changes = changes;
        }

        long sequence() {
            return sequence;
        }

        byte[] bytes() {
            return bytes;
        }

        /** The same changes, in bytes of a later schema version. */
        void encodedAgain(byte[] newBytes) {
            bytes = newBytes;
        }

        boolean isAcknowledged() {
            return state == State.ACKNOWLEDGED;
        }

        private void change(Map<Long, String> rows) {
            changes.forEach(
                    (id, row) ->
                            row.ifPresentOrElse(
                                    value -> rows.put(id, value), () -> rows.remove(id)));
        }

        /** It is on its way; whether for the first time. */
        boolean sent() {
            boolean first = state == State.NEW;
            if (state != State.ACKNOWLEDGED) {
                state = State.IN_FLIGHT;
            }
            return first;
        }

        /**
         * @param exact whether the LSN is where the batch was applied, not only above it
         */
        void acknowledged(Lsn newLsn, boolean exact) {
            state = State.ACKNOWLEDGED;
            if (exact) {
                lsn = Optional.of(newLsn);
            }
        }
    }

    private enum State {
        NEW,
        IN_FLIGHT,
        FAILED,
        ACKNOWLEDGED
    }

    /** Whether the client may send something new: nothing failed, and not too much is in flight. */
    boolean mayAppend() {
        return firstFailed().isEmpty()
                && batches.stream().filter(batch -> !batch.isAcknowledged()).count()
                        < MAX_IN_FLIGHT;
    }

    Batch append(byte[] bytes, Map<Long, Optional<String>> changes) {
        Batch batch = new Batch(batches.size() + 1, bytes, changes);
        batches.add(batch);
        return batch;
    }

    List<Batch> batches() {
        return List.copyOf(batches);
    }

    Optional<Batch> firstFailed() {
        return batches.stream().filter(batch -> batch.state == State.FAILED).findFirst();
    }

    /**
     * An answer is an error, which leaves open whether the batch is or will be applied. BUSY says
     * that it is not, and that nothing behind it will be until it comes again.
     */
    void failed(Batch batch, Throwable cause) {
        assertThat(cause).isInstanceOf(SteleException.class);
        assertThat(((SteleException) cause).code())
                .as("code of %s", cause)
                .isNotIn(ErrorCode.INVALID_ARGUMENT);
        if (batch.state == State.IN_FLIGHT) {
            batch.state = State.FAILED;
        }
    }

    /** The answers of what is in flight are lost. */
    void lost() {
        for (Batch batch : batches) {
            if (batch.state == State.IN_FLIGHT) {
                batch.state = State.FAILED;
            }
        }
    }

    /** Nothing waits for an answer. */
    boolean isAnswered() {
        return batches.stream().noneMatch(batch -> batch.state == State.IN_FLIGHT);
    }

    /** What a snapshot that is opened now may see. */
    Range present() {
        return new Range(acknowledgedCount(), batches.size());
    }

    Map<Long, String> last() {
        return after(batches.size());
    }

    /** The rows are those after all that was acknowledged, and perhaps some more. */
    void checkPresent(Map<Long, String> rows) {
        check(rows, present(), new Lsn(Long.MAX_VALUE));
    }

    /** The rows are those after as many batches as the range and the LSNs allow. */
    void check(Map<Long, String> rows, Range range, Lsn at) {
        check(rows, range, at, UnaryOperator.identity());
    }

    /**
     * The same, of rows that are shown in another way than the history keeps them.
     *
     * @param shown from what the history has of a row to what {@code rows} has
     */
    void check(Map<Long, String> rows, Range range, Lsn at, UnaryOperator<String> shown) {
        int from = range.from();
        int to = range.to();
        for (int i = 0; i < batches.size(); i++) {
            Optional<Lsn> lsn = batches.get(i).lsn;
            if (lsn.isPresent() && lsn.get().compareTo(at) <= 0) {
                from = Math.max(from, i + 1);
            } else if (lsn.isPresent()) {
                to = Math.min(to, i);
            }
        }
        assertThat(from).as("batches seen at %s", at).isLessThanOrEqualTo(to);
        Map<Long, String> expected = after(from);
        for (int count = from; count < to && !shown(expected, shown).equals(rows); count++) {
            batches.get(count).change(expected);
        }
        assertThat(rows)
                .as("rows at %s after %s to %s of %s batches", at, from, to, batches.size())
                .isEqualTo(shown(expected, shown));
    }

    private static Map<Long, String> shown(Map<Long, String> rows, UnaryOperator<String> shown) {
        Map<Long, String> all = new TreeMap<>();
        rows.forEach((id, row) -> all.put(id, shown.apply(row)));
        return all;
    }

    private int acknowledgedCount() {
        int count = 0;
        for (int i = 0; i < batches.size(); i++) {
            count = batches.get(i).isAcknowledged() ? i + 1 : count;
        }
        return count;
    }

    private Map<Long, String> after(int count) {
        Map<Long, String> rows = new TreeMap<>();
        batches.subList(0, count).forEach(batch -> batch.change(rows));
        return rows;
    }
}
