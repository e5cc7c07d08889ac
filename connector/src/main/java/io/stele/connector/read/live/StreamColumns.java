package io.stele.connector.read.live;

import static io.stele.connector.handle.SteleColumnHandle.FILE_MODIFIED_TIME_ID;
import static io.stele.connector.handle.SteleColumnHandle.MERGE_ROW_ID;
import static io.stele.connector.handle.SteleColumnHandle.PATH_ID;
import static io.stele.connector.handle.SteleColumnHandle.SHARD_ID;
import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.read.page.ScanChannel;
import io.stele.connector.read.page.WantedFields;
import io.stele.protocol.api.scan.ColumnFields;
import io.stele.protocol.api.scan.HiddenColumns;
import io.stele.protocol.schema.DataType;
import io.stele.protocol.schema.TableSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A builder of the columns that a scan requests from a stream of the sidecar, and of the channels
 * that make the wanted columns from them. Each column is requested once. Confined to one thread.
 */
final class StreamColumns {
    private final TableSchema table;
    private final Function<StreamColumns, ScanChannel> shard;
    private final WantedFields fields;
    private final List<Integer> ids = new ArrayList<>();
    private final List<ScanChannel> channels = new ArrayList<>();

    private StreamColumns(
            TableSchema table,
            List<SteleColumnHandle> wanted,
            Function<StreamColumns, ScanChannel> shard) {
        this.table = requireNonNull(table, "table is null");
        this.shard = requireNonNull(shard, "shard is null");
        this.fields = WantedFields.of(table, wanted);
    }

    /**
     * @param shard how the shard of a row is computed; may request more columns
     */
    static StreamColumns of(
            TableSchema table,
            List<SteleColumnHandle> wanted,
            Function<StreamColumns, ScanChannel> shard) {
        StreamColumns columns = new StreamColumns(table, wanted, shard);
        for (SteleColumnHandle column : wanted) {
            columns.channels.add(columns.channel(column));
        }
        return columns;
    }

    /** The ids of the stream's columns, in order. */
    List<Integer> ids() {
        return List.copyOf(ids);
    }

    /** The fields of row columns in the stream; empty: all. */
    Optional<ColumnFields> fields() {
        return fields.ofStream();
    }

    /** The type of a column of the stream. */
    DataType type(int columnId) {
        return fields.read(columnId).type();
    }

    /** The channels that make the wanted columns from the stream's columns. */
    List<ScanChannel> channels() {
        return List.copyOf(channels);
    }

    /** Adds a column to the requested ones, unless it is there already; returns its channel. */
    int ask(int columnId) {
        int channel = ids.indexOf(columnId);
        if (channel < 0) {
            channel = ids.size();
            ids.add(columnId);
        }
        return channel;
    }

    private ScanChannel channel(SteleColumnHandle column) {
        return switch (column.id()) {
            case MERGE_ROW_ID -> mergeRowId();
            case SHARD_ID -> shard.apply(this);
            case PATH_ID, FILE_MODIFIED_TIME_ID -> ScanChannel.ofNull(column);
            default -> fields.channel(column, new ScanChannel.Direct(ask(column.id())));
        };
    }

    private ScanChannel mergeRowId() {
        List<ScanChannel> fields = new ArrayList<>();
        fields.add(shard.apply(this));
        if (table.hasPrimaryKey()) {
            for (int columnId : table.primaryKey()) {
                fields.add(new ScanChannel.Direct(ask(columnId)));
            }
        } else {
            fields.add(new ScanChannel.Direct(ask(HiddenColumns.ROW_ID)));
        }
        return new ScanChannel.RowOf(List.copyOf(fields));
    }
}
