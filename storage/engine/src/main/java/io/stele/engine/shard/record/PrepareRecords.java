package io.stele.engine.shard.record;

import io.stele.engine.manifest.FileEntry;
import io.stele.engine.shard.record.TransactionRecords.Prepare;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A splitter of a transaction's part in one shard into PREPARE log records: one, or several where
 * one would exceed the log's record limit. Partition deletes are in the first record; files come
 * before batches, as in a single record.
 *
 * <p>Invariant: nothing is logged before all records were checked to fit.
 */
public final class PrepareRecords {
    private final Prepare whole;
    private final int limitBytes;
    private final int headBytes;
    private final List<Piece> pieces = new ArrayList<>();
    private List<FileEntry> files = new ArrayList<>();
    private List<byte[]> encodedFiles = new ArrayList<>();
    private List<ByteBuffer> batches = new ArrayList<>();
    private long usedBytes;

    /** A record's content, which its application needs, and its payload. */
    public record Piece(Prepare prepare, List<ByteBuffer> payload) {}

    private PrepareRecords(Prepare whole, int limitBytes) {
        this.whole = whole;
        this.limitBytes = limitBytes;
        this.headBytes = TransactionRecords.headBytes(whole);
        this.usedBytes = (long) headBytes + TransactionRecords.deletesBytes(whole);
    }

    /**
     * @param limitBytes the largest payload of a record
     * @throws SteleException TRANSACTION_TOO_LARGE when a batch or a file entry is larger than the
     *     limit
     */
    public static List<Piece> of(Prepare whole, int limitBytes) {
        return new PrepareRecords(whole, limitBytes).split();
    }

    private List<Piece> split() {
        checkFits(usedBytes, "the head of its part");
        for (FileEntry file : whole.files()) {
            byte[] encoded = TransactionRecords.encodeFile(file);
            reserve(Integer.BYTES + encoded.length, "the entry of file " + file.path());
            files.add(file);
            encodedFiles.add(encoded);
        }
        for (ByteBuffer batch : whole.batches()) {
            reserve(Integer.BYTES + batch.remaining(), "a batch");
            batches.add(batch);
        }
        cut();
        return pieces;
    }

    private void reserve(int sizeBytes, String what) {
        if (usedBytes + sizeBytes > limitBytes && !isEmpty()) {
            cut();
        }
        usedBytes += sizeBytes;
        checkFits(usedBytes, what);
    }

    private boolean isEmpty() {
        // The first piece may be one of deletes alone
        return files.isEmpty()
                && batches.isEmpty()
                && (!pieces.isEmpty() || whole.deletes().isEmpty());
    }

    private void cut() {
        boolean continues = !pieces.isEmpty();
        Prepare piece =
                new Prepare(
                        whole.transactionId(),
                        whole.readLsn(),
                        files,
                        batches,
                        continues ? List.of() : whole.deletes(),
                        continues);
        pieces.add(new Piece(piece, TransactionRecords.encode(piece, encodedFiles)));
        files = new ArrayList<>();
        encodedFiles = new ArrayList<>();
        batches = new ArrayList<>();
        usedBytes = headBytes;
    }

    private void checkFits(long sizeBytes, String what) {
        if (sizeBytes > limitBytes) {
            throw new SteleException(
                    ErrorCode.TRANSACTION_TOO_LARGE,
                    "Expected records of at most %d bytes in the log, found %d bytes with %s of transaction %s"
                            .formatted(limitBytes, sizeBytes, what, whole.transactionId()));
        }
    }
}
