package io.stele.connector.read;

import static io.trino.spi.function.table.TableFunctionProcessorState.Blocked.blocked;
import static io.trino.spi.function.table.TableFunctionProcessorState.Finished.FINISHED;
import static io.trino.spi.function.table.TableFunctionProcessorState.Processed.produced;
import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.connector.handle.SteleLiveSplit;
import io.stele.connector.handle.TableChangesHandle;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorSplit;
import io.trino.spi.connector.ConnectorTableCredentials;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.function.table.ConnectorTableFunctionHandle;
import io.trino.spi.function.table.TableFunctionProcessorProvider;
import io.trino.spi.function.table.TableFunctionProcessorState;
import io.trino.spi.function.table.TableFunctionSplitProcessor;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads the changes of tables, a shard a split, as sidecars stream them. Thread-safe. */
public final class TableChangesProcessors implements TableFunctionProcessorProvider {
    private final LivePageSources live;

    @Inject
    public TableChangesProcessors(LivePageSources live) {
        this.live = requireNonNull(live, "live is null");
    }

    @Override
    public TableFunctionSplitProcessor getSplitProcessor(
            ConnectorSession session,
            ConnectorTableFunctionHandle handle,
            Optional<ConnectorTableCredentials> tableCredentials,
            ConnectorSplit split) {
        return new Processor(
                live.changes(
                        session, (TableChangesHandle) handle, ((SteleLiveSplit) split).shard()));
    }

    /** The pages of a source. Confined to one driver. */
    private record Processor(ConnectorPageSource source) implements TableFunctionSplitProcessor {
        @Override
        public TableFunctionProcessorState process() {
            while (!source.isFinished()) {
                CompletableFuture<?> ready = source.isBlocked();
                if (!ready.isDone()) {
                    return blocked(ready.thenRun(() -> {}));
                }
                SourcePage page = source.getNextSourcePage();
                if (page != null) {
                    return produced(page.getPage());
                }
            }
            return FINISHED;
        }

        @Override
        public void close() throws IOException {
            source.close();
        }
    }
}
