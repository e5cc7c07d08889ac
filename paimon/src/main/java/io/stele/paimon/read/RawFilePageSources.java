package io.stele.paimon.read;

import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.predicate.TupleDomain;
import java.util.List;
import org.apache.paimon.schema.TableSchema;

public final class RawFilePageSources {
    ConnectorPageSource open(
            TableSchema fileSchema,
            TableSchema readSchema,
            PaimonFileSplit split,
            List<PaimonColumnHandle> columns,
            TupleDomain<PaimonColumnHandle> constraint) {
        throw new UnsupportedOperationException();
    }
}
