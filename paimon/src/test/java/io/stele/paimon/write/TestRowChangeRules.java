package io.stele.paimon.write;

import static io.trino.testing.assertions.TrinoExceptionAssert.assertTrinoExceptionThrownBy;

import io.trino.spi.StandardErrorCode;
import io.trino.spi.connector.SchemaTableName;
import java.nio.file.Path;
import java.util.Set;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaManager;
import org.apache.paimon.schema.TableSchema;
import org.apache.paimon.table.CatalogEnvironment;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.FileStoreTableFactory;
import org.apache.paimon.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Refusals name tables and columns as they are, whatever characters these have. */
final class TestRowChangeRules {
    private static final SchemaTableName NAME = new SchemaTableName("s", "t%s");

    @TempDir Path folder;

    private FileStoreTable create(Schema schema) throws Exception {
        org.apache.paimon.fs.Path location =
                new org.apache.paimon.fs.Path(folder.resolve("t").toString());
        TableSchema created = new SchemaManager(LocalFileIO.create(), location).createTable(schema);
        return FileStoreTableFactory.createWithoutFallbackBranch(
                LocalFileIO.create(), location, created, new Options(), CatalogEnvironment.empty());
    }

    @Test
    void aKeyWithAPercentSignIsNamed() throws Exception {
        FileStoreTable table =
                create(
                        Schema.newBuilder()
                                .column("rate%d", DataTypes.BIGINT().notNull())
                                .column("v", DataTypes.BIGINT())
                                .primaryKey("rate%d")
                                .option("bucket", "1")
                                .build());
        RowChangeRules rules = new RowChangeRules(NAME, table);
        rules.check(Set.of("v"));
        assertTrinoExceptionThrownBy(() -> rules.check(Set.of("rate%d")))
                .hasErrorCode(StandardErrorCode.NOT_SUPPORTED)
                .hasMessage(
                        "Expected updates of columns that are neither in the primary key nor the"
                                + " sequence field, found column rate%d of s.t%s");
    }

    @Test
    void aColumnOfATypeThatIsRefusedIsNamed() throws Exception {
        FileStoreTable table =
                create(
                        Schema.newBuilder()
                                .column("100%", DataTypes.CHAR(3).notNull())
                                .primaryKey("100%")
                                .option("bucket", "1")
                                .build());
        assertTrinoExceptionThrownBy(() -> new RowChangeRules(NAME, table).check(Set.of()))
                .hasErrorCode(StandardErrorCode.NOT_SUPPORTED)
                .hasMessageContaining("found column 100% of s.t%s: other engines");
    }
}
