package io.stele.connector.read.opening;

import static io.trino.spi.type.BigintType.BIGINT;
import static io.trino.spi.type.DoubleType.DOUBLE;
import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.read.cache.DecodedColumnScan;
import io.stele.connector.read.page.ScaledDoubles;
import io.stele.connector.read.page.ScanChannel;
import io.trino.orc.OrcColumn;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The ORC columns that a scan reads from a file, each once and in the order of their channels.
 * Confined to one thread.
 */
final class ReadColumns {
    private final OpenedFile file;
    private final List<OrcColumn> columns = new ArrayList<>();
    private final List<Type> types = new ArrayList<>();
    private final Map<Integer, ScaledDoubles> scaled = new HashMap<>(); // by channel
    private boolean rowNumbers;

    ReadColumns(OpenedFile file) {
        this.file = requireNonNull(file, "file is null");
    }

    /** Adds a column, unless it is there already; returns its channel. */
    int add(OrcColumn column, Type type) {
        int channel = columns.indexOf(column);
        if (channel < 0) {
            channel = columns.size();
            columns.add(column);
            types.add(type);
        }
        return channel;
    }

    /** As {@link #add(OrcColumn, Type)}; whole numbers replace doubles if the file has them. */
    int add(int columnId, OrcColumn column, Type type) {
        Optional<ScaledDoubles> doubles = file.scaled(columnId);
        if (doubles.isEmpty() || type != DOUBLE) {
            return add(column, type);
        }
        int channel = add(doubles.get().column(), type);
        scaled.put(channel, doubles.get());
        return channel;
    }

    /** Adds the number of each row, whose channel comes behind those of all columns. */
    void addRowNumbers() {
        rowNumbers = true;
    }

    boolean hasRowNumbers() {
        return rowNumbers;
    }

    /** The number of columns, which is also the channel of the row number. */
    int count() {
        return columns.size();
    }

    List<OrcColumn> columns() {
        return columns;
    }

    /** The types of the columns in the file. */
    List<Type> storedTypes() {
        List<Type> stored = new ArrayList<>(types);
        scaled.keySet().forEach(channel -> stored.set(channel, BIGINT));
        return stored;
    }

    /**
     * The channels that decode whole numbers to doubles; empty: there are none.
     *
     * @param constraint by which the scan leaves rows out
     */
    Optional<List<ScanChannel>> decoding(TupleDomain<SteleColumnHandle> constraint) {
        if (scaled.isEmpty()) {
            return Optional.empty();
        }
        Set<OrcColumn> filtered = filtered(constraint);
        List<ScanChannel> decoding = new ArrayList<>();
        for (int channel = 0; channel < columns.size() + (rowNumbers ? 1 : 0); channel++) {
            ScaledDoubles doubles = scaled.get(channel);
            if (doubles == null) {
                decoding.add(new ScanChannel.Direct(channel));
            } else {
                boolean isFiltered = filtered.contains(doubles.column());
                decoding.add(
                        new ScanChannel.Scaled(channel, isFiltered ? doubles.filtered() : doubles));
            }
        }
        return Optional.of(List.copyOf(decoding));
    }

    /** The columns as the decoded-column cache identifies them. */
    List<DecodedColumnScan.Column> cacheable(TupleDomain<SteleColumnHandle> constraint) {
        Set<OrcColumn> filtered = filtered(constraint);
        List<DecodedColumnScan.Column> cacheable = new ArrayList<>();
        for (int channel = 0; channel < columns.size(); channel++) {
            OrcColumn column = columns.get(channel);
            cacheable.add(
                    new DecodedColumnScan.Column(
                            column.getColumnId().getId(),
                            types.get(channel),
                            filtered.contains(column)));
        }
        return cacheable;
    }

    /** The columns that the scan leaves rows out by, as they are read. */
    private Set<OrcColumn> filtered(TupleDomain<SteleColumnHandle> constraint) {
        Set<OrcColumn> filtered = new HashSet<>();
        for (SteleColumnHandle column : constraint.getDomains().orElseThrow().keySet()) {
            file.scaled(column.id())
                    .map(ScaledDoubles::column)
                    .or(() -> file.column(column.id()))
                    .ifPresent(filtered::add);
        }
        return filtered;
    }
}
