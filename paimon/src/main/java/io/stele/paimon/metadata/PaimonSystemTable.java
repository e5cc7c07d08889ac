package io.stele.paimon.metadata;

import static io.stele.paimon.error.PaimonErrorCode.PAIMON_STORE_ERROR;
import static java.util.Objects.requireNonNull;

import io.stele.paimon.read.PaimonRowsPageSource;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.TrinoException;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.ConnectorSession;
import io.trino.spi.connector.ConnectorTableMetadata;
import io.trino.spi.connector.ConnectorTransactionHandle;
import io.trino.spi.connector.SchemaTableName;
import io.trino.spi.connector.SystemTable;
import io.trino.spi.predicate.TupleDomain;
import java.io.IOException;
import java.util.List;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.RowType;

/** One of Paimon's system tables, read by Paimon's library on the coordinator. Thread-safe. */
final class PaimonSystemTable implements SystemTable {
    private final SchemaTableName name;
    private final Table table;

    PaimonSystemTable(SchemaTableName name, Table table) {
        this.name = requireNonNull(name, "name is null");
        this.table = requireNonNull(table, "table is null");
    }

    @Override
    public Distribution getDistribution() {
        return Distribution.SINGLE_COORDINATOR;
    }

    @Override
    public ConnectorTableMetadata getTableMetadata() {
        return new ConnectorTableMetadata(
                name, fields().stream().map(PaimonMetadata::column).toList());
    }

    @Override
    public ConnectorPageSource pageSource(
            ConnectorTransactionHandle transaction,
            ConnectorSession session,
            TupleDomain<Integer> constraint) {
        List<DataType> types = fields().stream().map(DataField::type).toList();
        try {
            ReadBuilder builder = table.newReadBuilder();
            if (types.size() < table.rowType().getFieldCount()) {
                builder.withReadType(new RowType(fields()));
            }
            return new PaimonRowsPageSource(
                    builder.newRead().createReader(builder.newScan().plan()),
                    types,
                    types.stream().map(PaimonTypes::toTrino).toList(),
                    this::failure);
        } catch (IOException | RuntimeException e) {
            throw failure(e);
        }
    }

    /** The columns whose types Trino has. */
    private List<DataField> fields() {
        return table.rowType().getFields().stream()
                .filter(field -> PaimonTypes.find(field.type()).isPresent())
                .toList();
    }

    private TrinoException failure(Exception cause) {
        return new TrinoException(
                PAIMON_STORE_ERROR,
                "Cannot read system table %s: %s".formatted(name, cause.getMessage()),
                cause);
    }
}
