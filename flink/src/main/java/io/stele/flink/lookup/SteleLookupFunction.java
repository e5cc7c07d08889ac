package io.stele.flink.lookup;

import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.functions.FunctionContext;
import org.apache.flink.table.functions.LookupFunction;

/**
 * A blocking lookup function by primary key. Confined to the task's thread, which waits for the
 * row.
 */
public final class SteleLookupFunction extends LookupFunction {
    private static final long serialVersionUID = 1;

    private final SteleAsyncLookupFunction lookups;

    public SteleLookupFunction(LookupTarget target) {
        this.lookups = new SteleAsyncLookupFunction(target);
    }

    @Override
    public void open(FunctionContext context) {
        lookups.open(context);
    }

    @Override
    public Collection<RowData> lookup(RowData keyRow) throws IOException {
        try {
            return lookups.asyncLookup(keyRow).get();
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause() == null ? failed : failed.getCause();
            throw new IOException("Cannot look up a row: " + cause.getMessage(), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while looking up a row", e);
        }
    }

    @Override
    public void close() {
        lookups.close();
    }
}
