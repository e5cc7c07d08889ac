package io.stele.paimon.read;

import static java.util.Objects.requireNonNull;

import io.stele.paimon.type.InternalRowBlocks;
import io.trino.spi.PageBuilder;
import io.trino.spi.classloader.ThreadContextClassLoader;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.type.Type;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.types.DataType;
import org.jspecify.annotations.Nullable;

/**
 * A page source over one of Paimon's own readers, for splits and system tables that readers of this
 * plugin do not support. Confined to one driver.
 */
public final class PaimonRowsPageSource implements ConnectorPageSource {
    private static final ClassLoader PLUGIN = PaimonRowsPageSource.class.getClassLoader();

    private final RecordReader<InternalRow> reader;
    private final List<DataType> sources;
    private final List<Type> types;
    private final InternalRow.FieldGetter[] getters;
    private final PageBuilder page;
    private final Failures failures;
    private RecordReader.@Nullable RecordIterator<InternalRow> batch;
    private long completedBytes;
    private long readNanos;
    private boolean finished;

    /** The translation of a reader's exception to an error that names the object that was read. */
    public interface Failures {
        /** Returns the exception to throw. */
        RuntimeException translate(Exception failure);
    }

    /**
     * @param sources the types of the reader's rows
     * @param types Trino's types of the same columns
     */
    public PaimonRowsPageSource(
            RecordReader<InternalRow> reader,
            List<DataType> sources,
            List<Type> types,
            Failures failures) {
        this.reader = requireNonNull(reader, "reader is null");
        this.sources = List.copyOf(requireNonNull(sources, "sources is null"));
        this.types = List.copyOf(requireNonNull(types, "types is null"));
        this.failures = requireNonNull(failures, "failures is null");
        this.page = new PageBuilder(this.types);
        this.getters = new InternalRow.FieldGetter[sources.size()];
        for (int i = 0; i < getters.length; i++) {
            getters[i] = InternalRow.createFieldGetter(sources.get(i), i);
        }
    }

    @Override
    public @Nullable SourcePage getNextSourcePage() {
        if (finished) {
            return null;
        }
        long begin = System.nanoTime();
        // Paimon finds its parts by the context class loader
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(PLUGIN)) {
            fill();
        } catch (IOException | RuntimeException e) {
            throw failures.translate(e);
        } finally {
            readNanos += System.nanoTime() - begin;
        }
        if (page.isEmpty()) {
            return null;
        }
        SourcePage result = SourcePage.create(page.build());
        completedBytes += result.getSizeInBytes();
        page.reset();
        return result;
    }

    private void fill() throws IOException {
        while (!page.isFull()) {
            InternalRow row = next();
            if (row == null) {
                finished = true;
                return;
            }
            page.declarePosition();
            for (int i = 0; i < getters.length; i++) {
                InternalRowBlocks.append(
                        sources.get(i),
                        types.get(i),
                        getters[i].getFieldOrNull(row),
                        page.getBlockBuilder(i));
            }
        }
    }

    private @Nullable InternalRow next() throws IOException {
        while (true) {
            if (batch == null) {
                batch = reader.readBatch();
                if (batch == null) {
                    return null;
                }
            }
            InternalRow row = batch.next();
            if (row != null) {
                return row;
            }
            batch.releaseBatch();
            batch = null;
        }
    }

    @Override
    public long getCompletedBytes() {
        return completedBytes;
    }

    @Override
    public long getReadTimeNanos() {
        return readNanos;
    }

    @Override
    public boolean isFinished() {
        return finished;
    }

    @Override
    public long getMemoryUsage() {
        return page.getRetainedSizeInBytes();
    }

    @Override
    public void close() {
        finished = true;
        try (ThreadContextClassLoader _ = new ThreadContextClassLoader(PLUGIN)) {
            if (batch != null) {
                batch.releaseBatch();
                batch = null;
            }
            reader.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
