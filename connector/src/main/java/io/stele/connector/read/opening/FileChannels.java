package io.stele.connector.read.opening;

import static io.stele.connector.handle.SteleColumnHandle.FILE_MODIFIED_TIME_ID;
import static io.stele.connector.handle.SteleColumnHandle.MERGE_ROW_ID;
import static io.stele.connector.handle.SteleColumnHandle.PATH_ID;
import static io.stele.connector.handle.SteleColumnHandle.SHARD_ID;
import static io.trino.spi.type.BigintType.BIGINT;
import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.handle.SteleFileSplit;
import io.stele.connector.handle.SteleTableHandle;
import io.stele.connector.read.page.ScanChannel;
import io.stele.connector.read.page.VisibleRows;
import io.stele.connector.read.page.WantedFields;
import io.stele.connector.type.BlockEvolution;
import io.stele.connector.type.NativeValues;
import io.stele.connector.type.OrcTypes;
import io.stele.connector.type.TrinoTypes;
import io.stele.protocol.api.scan.HiddenColumns;
import io.stele.protocol.row.InitialRow;
import io.stele.protocol.schema.ColumnSchema;
import io.stele.protocol.schema.IdentifiedType;
import io.stele.protocol.schema.ScalarType;
import io.trino.orc.OrcColumn;
import io.trino.spi.block.Block;
import io.trino.spi.type.CharType;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import io.trino.spi.type.VarcharType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The channels that make the wanted columns of a scan from the ORC columns that it reads of a file.
 * Confined to one thread.
 */
final class FileChannels {
    private final SteleTableHandle table;
    private final SteleFileSplit split;
    private final OpenedFile file;
    private final TrinoTypes types;
    private final WantedFields fields;
    private final ReadColumns read;
    private final Map<Integer, OrcColumn> narrowedColumns = new HashMap<>();
    private final List<ScanChannel> channels;
    private final int lsnChannel;

    FileChannels(
            SteleTableHandle table,
            SteleFileSplit split,
            List<SteleColumnHandle> wanted,
            OpenedFile file,
            TrinoTypes types) {
        this.table = requireNonNull(table, "table is null");
        this.split = requireNonNull(split, "split is null");
        this.file = requireNonNull(file, "file is null");
        this.types = requireNonNull(types, "types is null");
        this.fields = WantedFields.of(table.table(), wanted);
        this.read = new ReadColumns(file);
        // The row number comes after all read columns: find out first how many these are
        List<ScanChannel> all = wanted.stream().map(this::channel).toList();
        this.lsnChannel =
                split.filterLsn() && split.ingestLsn().isEmpty()
                        ? read.add(file.hidden(HiddenColumns.LSN_NAME), BIGINT)
                        : VisibleRows.NO_CHANNEL;
        this.channels = all.stream().map(this::placeRowNumber).toList();
    }

    /** The columns to read. */
    ReadColumns read() {
        return read;
    }

    /** The channels of the wanted columns; empty if these are the read columns, unchanged. */
    Optional<List<ScanChannel>> wanted() {
        return isDirect() ? Optional.empty() : Optional.of(channels);
    }

    /** The channel of the LSNs by which rows are left out, or {@link VisibleRows#NO_CHANNEL}. */
    int lsnChannel() {
        return lsnChannel;
    }

    private ScanChannel channel(SteleColumnHandle column) {
        return switch (column.id()) {
            case HiddenColumns.LSN -> lsn();
            case HiddenColumns.ROW_ID -> rowId();
            case MERGE_ROW_ID -> mergeRowId();
            case PATH_ID, FILE_MODIFIED_TIME_ID -> ScanChannel.ofFile(column, split);
            case SHARD_ID -> ScanChannel.shard(split.shard());
            default ->
                    column.isField()
                            ? fields.channel(column, rowColumn(column.id()))
                            : userColumn(column.id(), column.type());
        };
    }

    private ScanChannel userColumn(int columnId, Type type) {
        ColumnSchema presentColumn = table.table().column(columnId);
        Optional<OrcColumn> found = file.column(columnId);
        if (found.isEmpty()) {
            // The file is older than the column
            return new ScanChannel.Constant(initialBlock(presentColumn, type));
        }
        OrcColumn column = found.get();
        ColumnSchema written = file.written(columnId, column);
        if (type instanceof VarcharType || type instanceof CharType) {
            // Text of a type that was widened since has the same bytes
            return new ScanChannel.Text(read.add(column, types.toTrino(written.type())));
        }
        IdentifiedType present = IdentifiedType.of(presentColumn);
        OrcTypes.Mapping mapping =
                BlockEvolution.mapping(IdentifiedType.of(written), present, types);
        return new ScanChannel.FromSource(read.add(columnId, column, mapping.fileType()), mapping);
    }

    /** A row column, of which only some fields may be read. */
    private ScanChannel rowColumn(int columnId) {
        IdentifiedType present = fields.read(columnId);
        Optional<OrcColumn> found = file.column(columnId);
        if (found.isEmpty()) {
            return older(present);
        }
        OrcColumn column = found.get();
        IdentifiedType then = IdentifiedType.of(file.written(columnId, column));
        Optional<IdentifiedType> kept = fields.kept(columnId, then);
        if (kept.isEmpty()) {
            return older(present);
        }
        OrcTypes.Mapping mapping = BlockEvolution.mapping(kept.get(), present, types);
        OrcColumn narrowed =
                narrowedColumns.computeIfAbsent(
                        columnId, _ -> WantedFields.narrowed(column, then, kept.get()));
        return new ScanChannel.FromSource(read.add(narrowed, mapping.fileType()), mapping);
    }

    /** The value of a column in a file that is older than the column, or than all wanted fields. */
    private ScanChannel older(IdentifiedType type) {
        return new ScanChannel.Constant(nullBlock(types.toTrino(type.type())));
    }

    private ScanChannel lsn() {
        if (split.ingestLsn().isPresent()) {
            return new ScanChannel.Constant(
                    TypeUtils.writeNativeValue(BIGINT, split.ingestLsn().getAsLong()));
        }
        return new ScanChannel.FromSource(
                read.add(file.hidden(HiddenColumns.LSN_NAME), BIGINT),
                OrcTypes.mapping(ScalarType.BIGINT, BIGINT));
    }

    private ScanChannel rowId() {
        if (split.firstRowId().isPresent()) {
            read.addRowNumbers();
            return new ScanChannel.RowNumber(0, split.firstRowId().getAsLong());
        }
        return new ScanChannel.FromSource(
                read.add(file.hidden(HiddenColumns.ROW_ID_NAME), BIGINT),
                OrcTypes.mapping(ScalarType.BIGINT, BIGINT));
    }

    private ScanChannel mergeRowId() {
        List<ScanChannel> parts = new ArrayList<>();
        parts.add(ScanChannel.shard(split.shard()));
        if (table.table().hasPrimaryKey()) {
            for (ColumnSchema column : table.table().primaryKeyColumns()) {
                parts.add(userColumn(column.id(), types.toTrino(column.type())));
            }
        } else {
            parts.add(rowId());
        }
        return new ScanChannel.RowOf(List.copyOf(parts));
    }

    private ScanChannel placeRowNumber(ScanChannel channel) {
        return switch (channel) {
            case ScanChannel.RowNumber(_, long base) ->
                    new ScanChannel.RowNumber(read.count(), base);
            case ScanChannel.RowOf(List<ScanChannel> parts) ->
                    new ScanChannel.RowOf(parts.stream().map(this::placeRowNumber).toList());
            case ScanChannel.FromSource _,
                    ScanChannel.FieldOf _,
                    ScanChannel.Text _,
                    ScanChannel.Scaled _,
                    ScanChannel.Direct _,
                    ScanChannel.ChangeType _,
                    ScanChannel.TimeOfLsn _,
                    ScanChannel.Computed _,
                    ScanChannel.ShardOf _,
                    ScanChannel.Constant _ ->
                    channel;
        };
    }

    private boolean isDirect() {
        if (read.hasRowNumbers() || channels.size() != read.count()) {
            return false;
        }
        for (int index = 0; index < channels.size(); index++) {
            if (!(channels.get(index)
                            instanceof ScanChannel.FromSource(int channel, OrcTypes.Mapping mapping)
                    && channel == index
                    && mapping.isIdentity())) {
                return false;
            }
        }
        return true;
    }

    private static Block initialBlock(ColumnSchema column, Type type) {
        return TypeUtils.writeNativeValue(
                type, InitialRow.of(column).map(row -> NativeValues.at(row, 0)).orElse(null));
    }

    private static Block nullBlock(Type type) {
        return TypeUtils.writeNativeValue(type, null);
    }
}
