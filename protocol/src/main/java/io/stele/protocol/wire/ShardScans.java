package io.stele.protocol.wire;

import io.stele.protocol.ShardId;
import io.stele.protocol.api.scan.FileScan;
import io.stele.protocol.api.scan.IndexedMetadata;
import io.stele.protocol.api.scan.ScanMode;
import io.stele.protocol.api.scan.ShardScan;
import io.stele.protocol.predicate.ColumnStats;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The binary codec of a scan plan's shards in OPEN_TABLE_REPLY frames. Texts and bytes have a
 * varint length before them, a count is a varint:
 *
 * <pre>
 * shards := count, each: table group 4, index 4, live 1, mode 1, live row estimate 8, files
 * mode   := 1 LIVE | 2 SNAPSHOT | 3 LOOKUP | 4 CHANGES | 5 AGGREGATE
 * files  := count, each: path text, size 8, rows 8, schema version 4, min lsn 8, max lsn 8, flags 1
 *     | flag 1: ingest lsn 8 | flag 2: first row id 8 | flag 4: bitmap index size 8
 *     | flag 8: checksum block size 4 | flag 16: fresh
 *     | flag 32, since version 4: key index size 8, its bytes from the metadata on 4
 *     | deleted rows bytes, deleted count 8, count of certain columns, ids 4, columns
 * columns := count, each: id 4, nulls 8, flags 1 | flag 1: min bytes | flag 2: max bytes | flag 4: may have NaN
 * </pre>
 */
final class ShardScans {
    private static final int INGEST_LSN = 1;
    private static final int FIRST_ROW_ID = 2;
    private static final int BITMAP_INDEX = 4;
    private static final int CHECKSUMS = 8;
    private static final int FRESH = 16;
    private static final int INDEXED_METADATA = 32;
    private static final int ALL_OF_FILE = 63;

    private static final int MIN = 1;
    private static final int MAX = 2;
    private static final int NAN = 4;
    private static final int ALL_OF_COLUMN = 7;

    private static final int MIN_SHARD_BYTES = 4 + 4 + 1 + 1 + 8 + 1;
    private static final int MIN_FILE_BYTES = 1 + 8 + 8 + 4 + 8 + 8 + 1 + 1 + 8 + 1 + 1;
    private static final int MIN_COLUMN_BYTES = 4 + 8 + 1;

    private ShardScans() {}

    /**
     * @param version of the reader's protocol; for a version without metadata in key indexes, the
     *     files have no checksums
     */
    static void put(PayloadWriter writer, List<ShardScan> shards, int version) {
        writer.putVarint(shards.size());
        for (ShardScan shard : shards) {
            writer.putInt(shard.shard().tableGroup())
                    .putInt(shard.shard().index())
                    .putByte(shard.live() ? 1 : 0)
                    .putByte(code(shard.mode()))
                    .putLong(shard.liveRowEstimate())
                    .putVarint(shard.files().size());
            shard.files().forEach(file -> put(writer, file, version));
        }
    }

    private static void put(PayloadWriter writer, FileScan file, int version) {
        Optional<IndexedMetadata> indexed =
                version >= WireLimits.INDEXED_METADATA_VERSION
                        ? file.indexedMetadata()
                        : Optional.empty();
        writer.putText("path", file.path())
                .putLong(file.sizeBytes())
                .putLong(file.rowCount())
                .putInt(file.schemaVersion())
                .putLong(file.minLsn())
                .putLong(file.maxLsn())
                .putByte(
                        (file.ingestLsn().isPresent() ? INGEST_LSN : 0)
                                | (file.firstRowId().isPresent() ? FIRST_ROW_ID : 0)
                                | (file.bitmapIndexBytes().isPresent() ? BITMAP_INDEX : 0)
                                | (file.checksumBlockBytes().isPresent() ? CHECKSUMS : 0)
                                | (file.fresh() ? FRESH : 0)
                                | (indexed.isPresent() ? INDEXED_METADATA : 0));
        file.ingestLsn().ifPresent(writer::putLong);
        file.firstRowId().ifPresent(writer::putLong);
        file.bitmapIndexBytes().ifPresent(writer::putLong);
        file.checksumBlockBytes().ifPresent(writer::putInt);
        indexed.ifPresent(
                place -> writer.putLong(place.keyIndexBytes()).putInt(place.metadataBytes()));
        writer.putSizedBytes(file.deletedRows())
                .putLong(file.deletedCount())
                .putVarint(file.certainColumns().size());
        file.certainColumns().forEach(writer::putInt);
        writer.putVarint(file.columns().size());
        file.columns().forEach((id, stats) -> put(writer, id, stats));
    }

    private static void put(PayloadWriter writer, int column, ColumnStats stats) {
        writer.putInt(column)
                .putLong(stats.nullCount())
                .putByte(
                        (stats.min().isPresent() ? MIN : 0)
                                | (stats.max().isPresent() ? MAX : 0)
                                | (stats.hasNaN() ? NAN : 0));
        stats.min().ifPresent(writer::putSizedBytes);
        stats.max().ifPresent(writer::putSizedBytes);
    }

    private static int code(ScanMode mode) {
        return switch (mode) {
            case LIVE -> 1;
            case SNAPSHOT -> 2;
            case LOOKUP -> 3;
            case CHANGES -> 4;
            case AGGREGATE -> 5;
        };
    }

    private static ScanMode mode(PayloadReader reader) {
        int code = reader.getByte("mode");
        return switch (code) {
            case 1 -> ScanMode.LIVE;
            case 2 -> ScanMode.SNAPSHOT;
            case 3 -> ScanMode.LOOKUP;
            case 4 -> ScanMode.CHANGES;
            case 5 -> ScanMode.AGGREGATE;
            default -> throw reader.malformed("a mode from 1 to 5", code & 0xFF);
        };
    }

    static List<ShardScan> get(PayloadReader reader) {
        int count = reader.getCount("shards", MIN_SHARD_BYTES);
        List<ShardScan> shards = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ShardId shard = new ShardId(reader.getInt("table group"), reader.getInt("shard"));
            boolean live = reader.getFlags("live", 1) != 0;
            ScanMode mode = mode(reader);
            long estimate = reader.getLong("live row estimate");
            shards.add(new ShardScan(shard, files(reader), live, mode, estimate));
        }
        return shards;
    }

    private static List<FileScan> files(PayloadReader reader) {
        int count = reader.getCount("files", MIN_FILE_BYTES);
        List<FileScan> files = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            files.add(file(reader));
        }
        return files;
    }

    private static FileScan file(PayloadReader reader) {
        String path = reader.getText("path");
        long sizeBytes = reader.getLong("size");
        long rowCount = reader.getLong("rows");
        int schemaVersion = reader.getInt("schema version");
        long minLsn = reader.getLong("min lsn");
        long maxLsn = reader.getLong("max lsn");
        int flags = reader.getFlags("flags of a file", ALL_OF_FILE);
        OptionalLong ingestLsn = optionalLong(reader, flags, INGEST_LSN, "ingest lsn");
        OptionalLong firstRowId = optionalLong(reader, flags, FIRST_ROW_ID, "first row id");
        OptionalLong bitmapIndexBytes = optionalLong(reader, flags, BITMAP_INDEX, "bitmap index");
        OptionalInt checksumBlockBytes =
                (flags & CHECKSUMS) != 0
                        ? OptionalInt.of(reader.getInt("checksum block"))
                        : OptionalInt.empty();
        Optional<IndexedMetadata> indexedMetadata =
                (flags & INDEXED_METADATA) != 0
                        ? Optional.of(indexedMetadata(reader))
                        : Optional.empty();
        byte[] deletedRows = reader.getSizedBytes("deleted rows");
        long deletedCount = reader.getLong("deleted count");
        List<Integer> certainColumns = ids(reader);
        return new FileScan(
                path,
                sizeBytes,
                rowCount,
                schemaVersion,
                minLsn,
                maxLsn,
                ingestLsn,
                firstRowId,
                deletedRows,
                deletedCount,
                columns(reader),
                certainColumns,
                bitmapIndexBytes,
                checksumBlockBytes,
                indexedMetadata,
                (flags & FRESH) != 0);
    }

    private static IndexedMetadata indexedMetadata(PayloadReader reader) {
        long keyIndexBytes = reader.getLong("key index size");
        return new IndexedMetadata(keyIndexBytes, reader.getInt("bytes of metadata"));
    }

    private static OptionalLong optionalLong(
            PayloadReader reader, int flags, int flag, String what) {
        return (flags & flag) != 0 ? OptionalLong.of(reader.getLong(what)) : OptionalLong.empty();
    }

    private static List<Integer> ids(PayloadReader reader) {
        int count = reader.getCount("certain columns", 4);
        List<Integer> ids = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            ids.add(reader.getInt("column id"));
        }
        return ids;
    }

    private static Map<Integer, ColumnStats> columns(PayloadReader reader) {
        int count = reader.getCount("columns", MIN_COLUMN_BYTES);
        Map<Integer, ColumnStats> columns = new HashMap<>();
        for (int i = 0; i < count; i++) {
            int id = reader.getInt("column id");
            long nulls = reader.getLong("nulls");
            int flags = reader.getFlags("flags of a column", ALL_OF_COLUMN);
            columns.put(
                    id,
                    new ColumnStats(
                            bytes(reader, flags, MIN, "min"),
                            bytes(reader, flags, MAX, "max"),
                            nulls,
                            (flags & NAN) != 0));
        }
        return columns;
    }

    private static Optional<byte[]> bytes(PayloadReader reader, int flags, int flag, String what) {
        return (flags & flag) != 0 ? Optional.of(reader.getSizedBytes(what)) : Optional.empty();
    }
}
