package io.stele.storage.shard;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stele.protocol.ErrorCode;
import io.stele.protocol.Lsn;
import io.stele.protocol.SteleException;
import io.stele.protocol.TableId;
import io.stele.protocol.schema.SchemaJson;
import io.stele.protocol.wire.WriteBatchReader;
import io.stele.storage.manifest.FileEntry;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The payloads of PREPARE and OUTCOME records. Numbers are big-endian.
 *
 * <pre>
 * PREPARE: id | read LSN 8 (-1: no conflict check) | file count 4 | files | batch count 4 | batches
 *   file:  length 4 | file entry as JSON           batch: length 4 | write batch, verbatim
 * OUTCOME: id | committed 1 | table count 4 | (table id 8 | first row id 8) for each table that got row ids
 * id:      length 4 | UTF-8
 * </pre>
 */
final class TransactionRecords {
    private static final long NO_READ_LSN = -1;
    private static final ObjectMapper MAPPER = SchemaJson.mapper();

    private TransactionRecords() {}

    /** The pieces of a PREPARE record; batches are not copied. */
    static List<ByteBuffer> encode(Prepare prepare) {
        List<byte[]> files = new ArrayList<>();
        int fileBytes = 0;
        for (FileEntry file : prepare.files()) {
            byte[] encoded = encodeFile(file);
            files.add(encoded);
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
        return pieces;
    }

    static Prepare decodePrepare(ByteBuffer payload) {
        ByteBuffer in = payload.duplicate();
        try {
            String id = readText(in);
            long readLsn = in.getLong();
            List<FileEntry> files = new ArrayList<>();
            for (int left = in.getInt(); left > 0; left--) {
                files.add(decodeFile(readBytes(in)));
            }
            List<ByteBuffer> batches = new ArrayList<>();
            for (int left = in.getInt(); left > 0; left--) {
                int length = in.getInt();
                batches.add(in.slice(in.position(), length));
                in.position(in.position() + length);
            }
            Optional<Lsn> read =
                    readLsn == NO_READ_LSN ? Optional.empty() : Optional.of(new Lsn(readLsn));
            return new Prepare(id, read, files, batches);
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | IndexOutOfBoundsException malformed) {
            throw corrupt("PREPARE", malformed);
        }
    }

    static List<ByteBuffer> encode(Outcome outcome) {
        byte[] id = outcome.transactionId().getBytes(UTF_8);
        ByteBuffer out =
                ByteBuffer.allocate(4 + id.length + 1 + 4 + 16 * outcome.firstRowIds().size());
        out.putInt(id.length).put(id);
        out.put((byte) (outcome.committed() ? 1 : 0));
        out.putInt(outcome.firstRowIds().size());
        outcome.firstRowIds().forEach((table, rowId) -> out.putLong(table.value()).putLong(rowId));
        return List.of(out.flip());
    }

    static Outcome decodeOutcome(ByteBuffer payload) {
        ByteBuffer in = payload.duplicate();
        try {
            String id = readText(in);
            boolean committed = in.get() == 1;
            Map<TableId, Long> firstRowIds = new HashMap<>();
            for (int left = in.getInt(); left > 0; left--) {
                firstRowIds.put(new TableId(in.getLong()), in.getLong());
            }
            return new Outcome(id, committed, firstRowIds);
        } catch (BufferUnderflowException | IllegalArgumentException malformed) {
            throw corrupt("OUTCOME", malformed);
        }
    }

    /** A reader over a batch of a decoded record. */
    static WriteBatchReader reader(ByteBuffer batch) {
        return new WriteBatchReader(
                batch.array(), batch.arrayOffset() + batch.position(), batch.remaining());
    }

    private static byte[] encodeFile(FileEntry file) {
        try {
            return MAPPER.writeValueAsBytes(file);
        } catch (JsonProcessingException failure) {
            throw new SteleException(
                    ErrorCode.INTERNAL,
                    "Cannot write file entry " + file.path() + " as JSON",
                    failure);
        }
    }

    private static FileEntry decodeFile(byte[] encoded) {
        try {
            return MAPPER.readValue(encoded, FileEntry.class);
        } catch (IOException malformed) {
            throw corrupt("PREPARE", malformed);
        }
    }

    private static String readText(ByteBuffer in) {
        return new String(readBytes(in), UTF_8);
    }

    private static byte[] readBytes(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static SteleException corrupt(String record, Exception cause) {
        return new SteleException(
                ErrorCode.CORRUPT_DATA,
                "Expected a well-formed " + record + " record, found: " + cause,
                cause);
    }

    /**
     * What a transaction will do in one shard if it commits: files first, then batches, each in
     * order.
     */
    record Prepare(
            String transactionId,
            Optional<Lsn> readLsn,
            List<FileEntry> files,
            List<ByteBuffer> batches) {
        Prepare {
            files = List.copyOf(files);
            batches = List.copyOf(batches);
        }
    }

    /** How it ended; {@code firstRowIds}: the row ids of a table's appended rows start there. */
    record Outcome(String transactionId, boolean committed, Map<TableId, Long> firstRowIds) {
        Outcome {
            firstRowIds = Map.copyOf(firstRowIds);
        }
    }
}
