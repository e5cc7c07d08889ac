package io.stele.engine.shard.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.engine.manifest.FileEntry;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.predicate.ScanPredicate;
import io.stele.protocol.schema.SchemaJson;
import io.stele.protocol.wire.WriteBatchReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The codec of PREPARE, OUTCOME and COMMIT log records, which contain a transaction's changes in
 * one shard, or its outcome there. Numbers are big-endian.
 *
 * <pre>
 * PREPARE: id | read LSN 8 (-1: no conflict check) | file count 4 | files | batch count 4 | batches
 *          [ | delete count 4 | partition deletes]          left out if there is none
 *          [ | continues 1]                                 1: more of the part; then the delete count is there
 *   delete: table id 8 | length 4 | scan predicate as JSON
 *   file:  length 4 | file entry as JSON           batch: length 4 | write batch, verbatim
 * OUTCOME: id | committed 1 | table count 4 | (table id 8 | first row id 8) for each table that got row ids,
 *          by table id [ | resolved count 4 | (index 4 | length 4 | write batch)]
 *   resolved: for each batch of the PREPARE that has conditional operations, by index, the plain batch that it
 *          came to; left out if there is none
 * COMMIT:  id | repeatable 1 | table count 4 | (table id 8 | first row id 8) as above | batch count 4 | batches
 *   repeatable: 1 if a client may ask for the outcome of the transaction later
 * id:      length 4 | UTF-8
 * </pre>
 *
 * <p>Nothing follows a payload. Decoding checks all bytes, and throws CORRUPT_DATA when they are no
 * such record.
 */
public final class TransactionRecords {
    private static final long NO_READ_LSN = -1;
    private static final ObjectMapper MAPPER = SchemaJson.mapper();

    private TransactionRecords() {}

    /** The pieces of a PREPARE record; batches are not copied. */
    static List<ByteBuffer> encode(Prepare prepare) {
        return encode(
                prepare, prepare.files().stream().map(TransactionRecords::encodeFile).toList());
    }

    /**
     * @param files the files of the record, encoded by {@link #encodeFile}
     */
    static List<ByteBuffer> encode(Prepare prepare, List<byte[]> files) {
        int fileBytes = 0;
        for (byte[] encoded : files) {
            fileBytes += Integer.BYTES + encoded.length;
        }
        byte[] id = prepare.transactionId().getBytes(UTF_8);
        ByteBuffer head = ByteBuffer.allocate(4 + id.length + 8 + 4 + fileBytes + 4);
        head.putInt(id.length).put(id);
        head.putLong(prepare.readLsn().map(Lsn::value).orElse(NO_READ_LSN));
        head.putInt(files.size());
        for (byte[] file : files) {
            head.putInt(file.length).put(file);
        }
        head.putInt(prepare.batches().size());
        List<ByteBuffer> pieces = new ArrayList<>();
        pieces.add(head.flip());
        for (ByteBuffer batch : prepare.batches()) {
            pieces.add(ByteBuffer.allocate(Integer.BYTES).putInt(batch.remaining()).flip());
            pieces.add(batch);
        }
        if (!prepare.deletes().isEmpty() || prepare.continues()) {
            pieces.add(encodeDeletes(prepare.deletes()));
        }
        if (prepare.continues()) {
            pieces.add(ByteBuffer.allocate(1).put((byte) 1).flip());
        }
        return pieces;
    }

    static byte[] encodeFile(FileEntry file) {
        return encodeJson(file, "file entry " + file.path());
    }

    /** The bytes of a PREPARE record beside its files, batches and deletes. */
    static int headBytes(Prepare prepare) {
        int idBytes = prepare.transactionId().getBytes(UTF_8).length;
        return 4 + idBytes + 8 + 4 + 4 + Integer.BYTES + 1;
    }

    static int deletesBytes(Prepare prepare) {
        return encodeDeletes(prepare.deletes()).remaining();
    }

    private static ByteBuffer encodeDeletes(List<PartitionDelete> deletes) {
        List<byte[]> predicates = new ArrayList<>();
        int sizeBytes = Integer.BYTES;
        for (PartitionDelete delete : deletes) {
            byte[] predicate = encodeJson(delete.partitions(), "a predicate");
            predicates.add(predicate);
            sizeBytes += Long.BYTES + Integer.BYTES + predicate.length;
        }
        ByteBuffer out = ByteBuffer.allocate(sizeBytes).putInt(deletes.size());
        for (int i = 0; i < predicates.size(); i++) {
            out.putLong(deletes.get(i).tableId().value());
            out.putInt(predicates.get(i).length).put(predicates.get(i));
        }
        return out.flip();
    }

    /** Reads a payload; the batches stay in the buffer's array and have been walked over once. */
    public static Prepare decodePrepare(ByteBuffer payload) {
        RecordInput in = new RecordInput("PREPARE", payload);
        String id = in.text("a transaction id");
        long readLsn = in.number("a read LSN");
        in.check(readLsn >= NO_READ_LSN, "a read LSN >= " + NO_READ_LSN, readLsn);
        List<FileEntry> files = new ArrayList<>();
        for (int left = in.count("files", Integer.BYTES); left > 0; left--) {
            files.add(decodeJson(in, in.piece("a file entry"), FileEntry.class, "a file entry"));
        }
        List<ByteBuffer> batches = new ArrayList<>();
        for (int left = in.count("batches", Integer.BYTES); left > 0; left--) {
            batches.add(batch(in));
        }
        List<PartitionDelete> deletes = new ArrayList<>();
        if (in.hasMore()) {
            for (int left = in.count("deletes", Long.BYTES + Integer.BYTES); left > 0; left--) {
                long table = in.number("a table id");
                in.check(table > 0, "a table id > 0", table);
                ByteBuffer predicate = in.piece("a predicate");
                deletes.add(
                        new PartitionDelete(
                                new TableId(table),
                                decodeJson(in, predicate, ScanPredicate.class, "a predicate")));
            }
        }
        boolean continues = in.hasMore();
        if (continues) {
            byte flag = in.octet("whether it continues a part");
            in.check(flag == 1, "1 for more of a part", flag);
        }
        in.end();
        Optional<Lsn> read =
                readLsn == NO_READ_LSN ? Optional.empty() : Optional.of(new Lsn(readLsn));
        return new Prepare(id, read, files, batches, deletes, continues);
    }

    /** The pieces of an OUTCOME record; batches are not copied. */
    public static List<ByteBuffer> encode(Outcome outcome) {
        byte[] id = outcome.transactionId().getBytes(UTF_8);
        int countBytes = outcome.resolved().isEmpty() ? 0 : 4;
        ByteBuffer out =
                ByteBuffer.allocate(
                        4 + id.length + 1 + 4 + 16 * outcome.firstRowIds().size() + countBytes);
        out.putInt(id.length).put(id);
        out.put((byte) (outcome.committed() ? 1 : 0));
        putRowIds(out, outcome.firstRowIds());
        List<ByteBuffer> pieces = new ArrayList<>();
        pieces.add(out);
        if (!outcome.resolved().isEmpty()) {
            out.putInt(outcome.resolved().size());
            new TreeMap<>(outcome.resolved())
                    .forEach(
                            (index, batch) -> {
                                pieces.add(
                                        ByteBuffer.allocate(2 * Integer.BYTES)
                                                .putInt(index)
                                                .putInt(batch.length)
                                                .flip());
                                pieces.add(ByteBuffer.wrap(batch));
                            });
        }
        out.flip();
        return pieces;
    }

    private static void putRowIds(ByteBuffer out, Map<TableId, Long> firstRowIds) {
        out.putInt(firstRowIds.size());
        new TreeMap<>(firstRowIds)
                .forEach((table, rowId) -> out.putLong(table.value()).putLong(rowId));
    }

    private static Map<TableId, Long> rowIds(RecordInput in) {
        Map<TableId, Long> firstRowIds = new HashMap<>();
        for (int left = in.count("tables", 2 * Long.BYTES); left > 0; left--) {
            long table = in.number("a table id");
            in.check(table > 0, "a table id > 0", table);
            firstRowIds.put(new TableId(table), in.number("a first row id"));
        }
        return firstRowIds;
    }

    /** The pieces of a COMMIT record; batches are not copied. */
    public static List<ByteBuffer> encode(Commit commit) {
        byte[] id = commit.transactionId().getBytes(UTF_8);
        ByteBuffer head =
                ByteBuffer.allocate(4 + id.length + 1 + 4 + 16 * commit.firstRowIds().size() + 4);
        head.putInt(id.length).put(id);
        head.put((byte) (commit.isRepeatable() ? 1 : 0));
        putRowIds(head, commit.firstRowIds());
        head.putInt(commit.batches().size());
        List<ByteBuffer> pieces = new ArrayList<>();
        pieces.add(head.flip());
        for (WriteBatchReader batch : commit.batches()) {
            pieces.add(ByteBuffer.allocate(Integer.BYTES).putInt(batch.sizeBytes()).flip());
            pieces.add(ByteBuffer.wrap(batch.buffer(), batch.offset(), batch.sizeBytes()));
        }
        return pieces;
    }

    /** Reads a payload; the batches stay in the buffer's array and have been walked over once. */
    public static Commit decodeCommit(ByteBuffer payload) {
        RecordInput in = new RecordInput("COMMIT", payload);
        String id = in.text("a transaction id");
        boolean repeatable = repeatable(in);
        Map<TableId, Long> firstRowIds = rowIds(in);
        List<WriteBatchReader> batches = new ArrayList<>();
        for (int left = in.count("batches", Integer.BYTES); left > 0; left--) {
            batches.add(reader(batch(in)));
        }
        in.end();
        return new Commit(id, repeatable, batches, firstRowIds);
    }

    /**
     * The id in a COMMIT record, if a client may ask for the outcome of the transaction later; the
     * rest is not read.
     */
    public static Optional<String> repeatableId(ByteBuffer payload) {
        RecordInput in = new RecordInput("COMMIT", payload);
        String id = in.text("a transaction id");
        return repeatable(in) ? Optional.of(id) : Optional.empty();
    }

    private static boolean repeatable(RecordInput in) {
        byte repeatable = in.octet("whether it is repeatable");
        in.check(repeatable == 0 || repeatable == 1, "repeatable 0 or 1", repeatable);
        return repeatable == 1;
    }

    /** A write batch; throws CORRUPT_DATA when the bytes are no write batch. */
    private static ByteBuffer batch(RecordInput in) {
        ByteBuffer batch = in.piece("a write batch");
        try {
            reader(batch).validate();
        } catch (SteleException malformed) {
            throw in.corrupt(malformed);
        }
        return batch;
    }

    public static Outcome decodeOutcome(ByteBuffer payload) {
        RecordInput in = new RecordInput("OUTCOME", payload);
        String id = in.text("a transaction id");
        byte committed = in.octet("whether it committed");
        in.check(committed == 0 || committed == 1, "committed 0 or 1", committed);
        Map<TableId, Long> firstRowIds = rowIds(in);
        Map<Integer, byte[]> resolved = new HashMap<>();
        if (in.hasMore()) {
            for (int left = in.count("resolved batches", 2 * Integer.BYTES); left > 0; left--) {
                int index = in.integer("the index of a batch");
                in.check(index >= 0, "the index of a batch >= 0", index);
                ByteBuffer batch = batch(in);
                byte[] copy = new byte[batch.remaining()];
                batch.get(batch.position(), copy);
                resolved.put(index, copy);
            }
        }
        in.end();
        return new Outcome(id, committed == 1, firstRowIds, resolved);
    }

    /** A reader over a batch of a decoded record. */
    static WriteBatchReader reader(ByteBuffer batch) {
        return new WriteBatchReader(
                batch.array(), batch.arrayOffset() + batch.position(), batch.remaining());
    }

    private static byte[] encodeJson(Object value, String what) {
        try {
            return MAPPER.writeValueAsBytes(value);
        } catch (JsonProcessingException failure) {
            throw new SteleException(
                    ErrorCode.INTERNAL, "Cannot write " + what + " as JSON", failure);
        }
    }

    private static <T> T decodeJson(
            RecordInput in, ByteBuffer encoded, Class<T> type, String what) {
        try {
            T value =
                    MAPPER.readValue(
                            encoded.array(),
                            encoded.arrayOffset() + encoded.position(),
                            encoded.remaining(),
                            type);
            if (value == null) {
                throw in.corrupt(what, "null");
            }
            return value;
        } catch (IOException malformed) {
            throw in.corrupt(malformed);
        }
    }

    /**
     * The changes of a transaction in one shard if it commits: files first, then batches, each in
     * order; or deletes alone.
     *
     * @param continues whether it adds to the PREPARE records of the transaction that come before
     *     it
     */
    public record Prepare(
            String transactionId,
            Optional<Lsn> readLsn,
            List<FileEntry> files,
            List<ByteBuffer> batches,
            List<PartitionDelete> deletes,
            boolean continues) {
        public Prepare {
            files = List.copyOf(files);
            batches = List.copyOf(batches);
            deletes = List.copyOf(deletes);
        }

        /** Without deletes. */
        Prepare(
                String transactionId,
                Optional<Lsn> readLsn,
                List<FileEntry> files,
                List<ByteBuffer> batches) {
            this(transactionId, readLsn, files, batches, List.of());
        }

        /** The first or only record of a part. */
        public Prepare(
                String transactionId,
                Optional<Lsn> readLsn,
                List<FileEntry> files,
                List<ByteBuffer> batches,
                List<PartitionDelete> deletes) {
            this(transactionId, readLsn, files, batches, deletes, false);
        }
    }

    /**
     * The changes in one shard of a transaction that commits with this record.
     *
     * @param isRepeatable whether a client may ask for its outcome later
     * @param batches of plain operations, in order
     * @param firstRowIds the first row id of each table's appended rows
     */
    public record Commit(
            String transactionId,
            boolean isRepeatable,
            List<WriteBatchReader> batches,
            Map<TableId, Long> firstRowIds) {
        public Commit {
            batches = List.copyOf(batches);
            firstRowIds = Map.copyOf(firstRowIds);
        }

        /** The changes as a part of a transaction, without files. */
        public PreparedPart part(Lsn lsn) {
            return new PreparedPart(
                    transactionId, lsn, Optional.empty(), List.of(), batches, List.of());
        }
    }

    /**
     * The outcome of a transaction.
     *
     * @param firstRowIds the first row id of each table's appended rows
     * @param resolved the results of the batches with conditional operations, by their index
     */
    public record Outcome(
            String transactionId,
            boolean committed,
            Map<TableId, Long> firstRowIds,
            Map<Integer, byte[]> resolved) {
        public Outcome {
            firstRowIds = Map.copyOf(firstRowIds);
            resolved = Map.copyOf(resolved);
        }

        public static Outcome aborted(String transactionId) {
            return new Outcome(transactionId, false, Map.of(), Map.of());
        }
    }
}
