package io.stele.engine.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.engine.manifest.DecidedBatch.Refusal;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * The binary codec of the progress of a shard's writers, for manifests and writers objects.
 *
 * <pre>
 * list   = format 1 (1) | writer count | writer ...
 * writer = id 16 (big-endian) | floor | batch count | batch ...
 * batch  = sequence - that of the batch before | LSN - that of the batch before | outcome
 *          | of a refused one: length, error code in UTF-8 | length, message in UTF-8
 * </pre>
 *
 * <p>Numbers are signed varints: zigzag, 7 bits a byte, lowest first. Before the first batch of a
 * writer, the sequence is its floor (0 if the floor is the lowest long); before the very first
 * batch, the LSN is 0. The outcome is the number of skipped operations, or -1 for a refused batch.
 */
final class WriterProgressCodec {
    private static final int FORMAT = 1;
    private static final int REFUSED = -1;
    private static final int LEAST_BATCH_BYTES = 3;
    private static final int LEAST_WRITER_BYTES = 18;

    private WriterProgressCodec() {}

    static byte[] encode(Collection<WriterProgress> writers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(FORMAT);
        put(out, writers.size());
        long lsn = 0;
        for (WriterProgress writer : writers) {
            out.writeBytes(
                    ByteBuffer.allocate(16)
                            .putLong(writer.writerId().getMostSignificantBits())
                            .putLong(writer.writerId().getLeastSignificantBits())
                            .array());
            put(out, writer.floor());
            put(out, writer.batches().size());
            long sequence = firstSequence(writer.floor());
            for (DecidedBatch batch : writer.batches()) {
                put(out, batch.sequence() - sequence);
                put(out, batch.lsn().value() - lsn);
                sequence = batch.sequence();
                lsn = batch.lsn().value();
                put(out, batch.refusal().isPresent() ? REFUSED : batch.skipped());
                batch.refusal().ifPresent(refusal -> put(out, refusal));
            }
        }
        return out.toByteArray();
    }

    private static void put(ByteArrayOutputStream out, Refusal refusal) {
        for (String text : List.of(refusal.code().name(), refusal.message())) {
            byte[] bytes = text.getBytes(UTF_8);
            put(out, bytes.length);
            out.writeBytes(bytes);
        }
    }

    private static void put(ByteArrayOutputStream out, long value) {
        long left = (value << 1) ^ (value >> 63);
        while ((left & ~0x7FL) != 0) {
            out.write((int) (left & 0x7F | 0x80));
            left >>>= 7;
        }
        out.write((int) left);
    }

    private static long firstSequence(long floor) {
        return floor == Long.MIN_VALUE ? 0 : floor;
    }

    /**
     * Decodes the bytes of {@link #encode}; CORRUPT_DATA for other bytes. {@code where} is for
     * messages.
     */
    static List<WriterProgress> decode(byte[] bytes, String where) {
        return new Input(bytes, where).writers();
    }

    private static final class Input {
        private final ByteBuffer in;
        private final String where;

        private Input(byte[] bytes, String where) {
            this.in = ByteBuffer.wrap(bytes);
            this.where = where;
        }

        private List<WriterProgress> writers() {
            int format = in.hasRemaining() ? in.get() : -1;
            check(format == FORMAT, "writers in format " + FORMAT, format);
            int count = count("writers", LEAST_WRITER_BYTES);
            List<WriterProgress> writers = new ArrayList<>(count);
            long lsn = 0;
            for (int i = 0; i < count; i++) {
                check(in.remaining() >= LEAST_WRITER_BYTES, "a writer", in.remaining() + " bytes");
                UUID writerId = new UUID(in.getLong(), in.getLong());
                long floor = number();
                int batchCount = count("batches", LEAST_BATCH_BYTES);
                List<DecidedBatch> batches = new ArrayList<>(batchCount);
                long sequence = firstSequence(floor);
                for (int j = 0; j < batchCount; j++) {
                    sequence += number();
                    lsn += number();
                    check(lsn >= 0, "an LSN >= 0", lsn);
                    batches.add(batch(sequence, new Lsn(lsn)));
                }
                writers.add(writer(writerId, floor, batches));
            }
            check(!in.hasRemaining(), "the end of the writers", in.remaining() + " more bytes");
            return writers;
        }

        private DecidedBatch batch(long sequence, Lsn lsn) {
            long outcome = number();
            check(
                    outcome >= REFUSED && outcome <= Integer.MAX_VALUE,
                    "an outcome from -1",
                    outcome);
            if (outcome != REFUSED) {
                return new DecidedBatch(sequence, lsn, (int) outcome, Optional.empty());
            }
            return DecidedBatch.refused(sequence, lsn, ErrorCode.of(text()), text());
        }

        private WriterProgress writer(UUID writerId, long floor, List<DecidedBatch> batches) {
            try {
                return new WriterProgress(writerId, floor, batches);
            } catch (IllegalArgumentException unordered) {
                throw corrupt(String.valueOf(unordered.getMessage()));
            }
        }

        private int count(String what, int leastBytes) {
            long count = number();
            check(
                    count >= 0 && count <= in.remaining() / leastBytes,
                    "0 to " + in.remaining() / leastBytes + " " + what,
                    count);
            return (int) count;
        }

        private String text() {
            byte[] bytes = new byte[count("bytes of text", 1)];
            in.get(bytes);
            return new String(bytes, UTF_8);
        }

        private long number() {
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                check(in.hasRemaining(), "a number", "the end");
                byte next = in.get();
                value |= (long) (next & 0x7F) << shift;
                if (next >= 0) {
                    return (value >>> 1) ^ -(value & 1);
                }
            }
            throw corrupt("Expected a number of at most 10 bytes, found a longer one");
        }

        private void check(boolean condition, String expected, Object found) {
            if (!condition) {
                throw corrupt("Expected %s, found %s".formatted(expected, found));
            }
        }

        private SteleException corrupt(String what) {
            return new SteleException(
                    ErrorCode.CORRUPT_DATA,
                    "%s in %s, before byte %d of the writers"
                            .formatted(what, where, in.position()));
        }
    }
}
