package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import com.google.common.io.Closer;
import io.stele.paimon.handle.SortedSection;
import io.stele.paimon.merge.MergeLayout;
import io.stele.paimon.merge.MergeRules;
import io.stele.paimon.merge.SortedMerge;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.metrics.Metrics;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page source over one split whose files this plugin merges by key, section by section. Confined
 * to one driver.
 */
final class SortedFilePageSource implements ConnectorPageSource {
    private final Queue<SortedSection> sections;
    private final MergeRules rules;
    private final Function<SortedSection, Opened> opener;
    private final MemoryContext memory;
    private List<RunRows> runs = List.of();
    private @Nullable SortedMerge merge;
    private long positions;
    private long readBytes;
    private long readNanos;
    private Metrics metrics = Metrics.EMPTY;
    private boolean finished;

    /**
     * The runs of a section, of which nothing is read yet.
     *
     * @param layout the layout of their pages
     */
    record Opened(MergeLayout layout, List<RunRows> runs) {
        Opened {
            requireNonNull(layout, "layout is null");
            runs = List.copyOf(requireNonNull(runs, "runs is null"));
        }
    }

    SortedFilePageSource(
            List<SortedSection> sections,
            MergeRules rules,
            Function<SortedSection, Opened> opener,
            MemoryContext memory) {
        this.sections = new ArrayDeque<>(sections);
        this.rules = requireNonNull(rules, "rules is null");
        this.opener = requireNonNull(opener, "opener is null");
        this.memory = requireNonNull(memory, "memory is null");
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        if (finished) {
            return null;
        }
        try {
            SourcePage page = next();
            memory.setBytes(merge == null ? 0 : merge.memoryBytes());
            if (page == null) {
                close();
            }
            return page;
        } catch (IOException | RuntimeException e) {
            throw closeAfter(e);
        }
    }

    private @Nullable SourcePage next() throws IOException {
        while (true) {
            SortedMerge present = merge;
            if (present != null) {
                SourcePage page = present.next();
                if (page != null) {
                    return page;
                }
                closeSection();
            }
            SortedSection section = sections.poll();
            if (section == null) {
                return null;
            }
            open(section);
        }
    }

    /** Opens the files of a section side by side. */
    private void open(SortedSection section) {
        Opened opened = opener.apply(section);
        runs = opened.runs();
        runs.forEach(RunRows::fetchFooter);
        runs.forEach(RunRows::fetchIndexes);
        runs.forEach(RunRows::open);
        merge = new SortedMerge(opened.layout(), rules, runs);
    }

    private void closeSection() throws IOException {
        merge = null;
        List<RunRows> closed = runs;
        runs = List.of();
        try (Closer closer = Closer.create()) {
            closed.forEach(closer::register);
            for (RunRows run : closed) {
                positions += run.positions();
                readBytes += run.readBytes();
                readNanos += run.readNanos();
                metrics = metrics.mergeWith(run.metrics());
            }
        }
    }

    @Override
    public long getCompletedBytes() {
        return readBytes + runs.stream().mapToLong(RunRows::readBytes).sum();
    }

    @Override
    public OptionalLong getCompletedPositions() {
        return OptionalLong.of(positions + runs.stream().mapToLong(RunRows::positions).sum());
    }

    @Override
    public long getReadTimeNanos() {
        return readNanos + runs.stream().mapToLong(RunRows::readNanos).sum();
    }

    @Override
    public Metrics getMetrics() {
        Metrics all = metrics;
        for (RunRows run : runs) {
            all = all.mergeWith(run.metrics());
        }
        return all;
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public void close() throws IOException {
        if (!finished) {
            finished = true;
            sections.clear();
            try {
                closeSection();
            } finally {
                memory.setBytes(0);
            }
        }
    }

    private RuntimeException closeAfter(Exception failure) {
        try {
            close();
        } catch (IOException | RuntimeException e) {
            failure.addSuppressed(e);
        }
        return failure instanceof RuntimeException known
                ? known
                : new UncheckedIOException((IOException) failure);
    }
}
