package io.stele.connector.read.page;

import static java.util.Objects.requireNonNull;

import io.stele.connector.handle.SteleColumnHandle;
import io.stele.connector.read.prune.ScanConditions;
import io.trino.spi.block.Block;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A page source that returns the rows of another source that satisfy a scan's conditions. The other
 * source also has the columns of the conditions; all further columns are read only in the remaining
 * rows. Confined to one driver.
 */
public final class EnforcingPageSource extends ForwardingPageSource {
    private final int[] filteredChannels;
    private final List<BlockFilter> filters;
    private final Optional<List<ScanChannel>> wanted;
    private int[] positions = {};
    private long scannedRows;

    private EnforcingPageSource(
            ConnectorPageSource source,
            int[] filteredChannels,
            List<BlockFilter> filters,
            Optional<List<ScanChannel>> wanted) {
        super(source);
        this.filteredChannels = filteredChannels;
        this.filters = List.copyOf(filters);
        this.wanted = requireNonNull(wanted, "wanted is null");
    }

    /** The columns that the other source must have, the wanted ones first. */
    public static List<SteleColumnHandle> columns(
            ScanConditions conditions, List<SteleColumnHandle> wanted) {
        List<SteleColumnHandle> columns = new ArrayList<>(wanted);
        for (SteleColumnHandle column : conditions.residual().keySet()) {
            if (!columns.contains(column)) {
                columns.add(column);
            }
        }
        return columns;
    }

    /**
     * The other source, filtered.
     *
     * @param columns of the source
     * @param wantedCount how many of them, the first ones, are returned
     */
    public static EnforcingPageSource of(
            ScanConditions conditions,
            ConnectorPageSource source,
            List<SteleColumnHandle> columns,
            int wantedCount) {
        Map<SteleColumnHandle, Domain> domains = conditions.residual();
        List<BlockFilter> filters = new ArrayList<>();
        int[] channels = new int[domains.size()];
        domains.forEach(
                (column, domain) -> {
                    channels[filters.size()] = columns.indexOf(column);
                    filters.add(new BlockFilter(domain));
                });
        Optional<List<ScanChannel>> wanted =
                wantedCount == columns.size()
                        ? Optional.empty()
                        : Optional.of(
                                IntStream.range(0, wantedCount)
                                        .<ScanChannel>mapToObj(ScanChannel.Direct::new)
                                        .toList());
        return new EnforcingPageSource(source, channels, filters, wanted);
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        SourcePage page = source().getNextSourcePage();
        if (page == null) {
            return null;
        }
        int count = page.getPositionCount();
        scannedRows += count;
        int kept = select(page, count);
        if (kept == 0) {
            return null;
        }
        if (kept < count) {
            // The page retains the array
            page.selectPositions(Arrays.copyOf(positions, kept), 0, kept);
        }
        return wanted.isPresent() ? new ChannelSourcePage(page, wanted.get()) : page;
    }

    /** The number of rows of the other source so far. */
    public long scannedRows() {
        return scannedRows;
    }

    private int select(SourcePage page, int count) {
        if (positions.length < count) {
            positions = new int[count];
        }
        for (int position = 0; position < count; position++) {
            positions[position] = position;
        }
        int kept = count;
        for (int i = 0; i < filteredChannels.length && kept > 0; i++) {
            Block block = page.getBlock(filteredChannels[i]);
            kept = filters.get(i).select(block, positions, kept);
        }
        return kept;
    }
}
