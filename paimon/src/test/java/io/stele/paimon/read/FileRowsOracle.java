package io.stele.paimon.read;

import io.stele.paimon.handle.DeletionVectorLocation;
import io.stele.paimon.handle.PaimonColumnHandle;
import io.stele.paimon.handle.PaimonFileSplit;
import io.stele.paimon.type.InternalRowBlocks;
import io.stele.paimon.type.PaimonTypes;
import io.trino.spi.Page;
import io.trino.spi.SplitWeight;
import io.trino.spi.block.Block;
import io.trino.spi.block.BlockBuilder;
import io.trino.spi.connector.ConnectorPageSource;
import io.trino.spi.connector.MemoryContext;
import io.trino.spi.connector.SourcePage;
import io.trino.spi.predicate.Domain;
import io.trino.spi.predicate.TupleDomain;
import io.trino.spi.type.Type;
import io.trino.spi.type.TypeUtils;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.reader.RecordReader;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.table.source.DeletionFile;
import org.apache.paimon.table.source.RawFile;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;
import org.jspecify.annotations.Nullable;

/** The rows of tables as Paimon reads them and as this plugin does, in the same texts. */
public final class FileRowsOracle {
    private final FileStoreTable table;
    private final RawFilePageSources sources;
    private final List<DataField> fields;

    public FileRowsOracle(FileStoreTable table, RawFilePageSources sources) {
        this(table, sources, table.schema().fields());
    }

    public FileRowsOracle(
            FileStoreTable table, RawFilePageSources sources, List<DataField> fields) {
        this.table = table;
        this.sources = sources;
        this.fields = fields;
    }

    public List<PaimonColumnHandle> columns() {
        return fields.stream()
                .map(
                        field ->
                                new PaimonColumnHandle(
                                        field.id(), field.name(), PaimonTypes.toTrino(field)))
                .toList();
    }

    public List<DataSplit> splits() {
        List<DataSplit> result = new ArrayList<>();
        for (Split split : table.newReadBuilder().newScan().plan().splits()) {
            result.add((DataSplit) split);
        }
        return result;
    }

    public List<String> paimon(DataSplit split) throws Exception {
        return paimon(split, blocks -> true);
    }

    /** Those whose first column is in a domain. */
    List<String> paimon(DataSplit split, Domain domain) throws Exception {
        Type type = columns().get(0).type();
        return paimon(
                split,
                blocks -> {
                    Object value = TypeUtils.readNativeValue(type, blocks[0], 0);
                    return value != null && TypeUtils.isFloatingPointNaN(type, value)
                            ? domain.getValues().isAll()
                            : domain.includesNullableValue(value);
                });
    }

    private List<String> paimon(DataSplit split, Predicate<Block[]> filter) throws Exception {
        ReadBuilder builder = table.newReadBuilder().withReadType(new RowType(fields));
        List<String> rows = new ArrayList<>();
        List<Type> types = columns().stream().map(PaimonColumnHandle::type).toList();
        try (RecordReader<InternalRow> reader = builder.newRead().createReader(split)) {
            reader.forEachRemaining(
                    row -> {
                        Block[] blocks = new Block[fields.size()];
                        for (int i = 0; i < blocks.length; i++) {
                            BlockBuilder block = types.get(i).createBlockBuilder(null, 1);
                            InternalRowBlocks.append(
                                    fields.get(i).type(),
                                    types.get(i),
                                    InternalRow.createFieldGetter(fields.get(i).type(), i)
                                            .getFieldOrNull(row),
                                    block);
                            blocks[i] = block.build();
                        }
                        if (filter.test(blocks)) {
                            rows.add(text(types, new Page(1, blocks), 0));
                        }
                    });
        }
        return rows;
    }

    /** The rows, of each file in this number of splits. */
    List<String> natively(DataSplit split, int parts, TupleDomain<PaimonColumnHandle> constraint)
            throws Exception {
        List<String> rows = new ArrayList<>();
        for (PaimonFileSplit part : files(split, parts)) {
            rows.addAll(natively(part, constraint));
        }
        return rows;
    }

    List<String> natively(PaimonFileSplit split, TupleDomain<PaimonColumnHandle> constraint)
            throws Exception {
        try (ConnectorPageSource source = open(split, constraint)) {
            return rows(source);
        }
    }

    /** All rows of a page source of the columns. */
    public List<String> rows(ConnectorPageSource source) {
        List<String> rows = new ArrayList<>();
        List<Type> types = columns().stream().map(PaimonColumnHandle::type).toList();
        while (!source.isFinished()) {
            SourcePage page = source.getNextSourcePage();
            if (page != null) {
                Page loaded = page.getPage();
                for (int i = 0; i < loaded.getPositionCount(); i++) {
                    rows.add(text(types, loaded, i));
                }
            }
        }
        return rows;
    }

    /** Decodes all, without a look at the values. */
    void drain(PaimonFileSplit split) throws Exception {
        try (ConnectorPageSource source = open(split, TupleDomain.all())) {
            while (!source.isFinished()) {
                SourcePage page = source.getNextSourcePage();
                if (page != null) {
                    page.getPage();
                }
            }
        }
    }

    ConnectorPageSource open(PaimonFileSplit split, TupleDomain<PaimonColumnHandle> constraint) {
        return sources.open(
                table.schemaManager().schema(split.schemaId()),
                table.schema(),
                split,
                columns(),
                constraint,
                MemoryContext.NO_LIMIT);
    }

    List<PaimonFileSplit> files(DataSplit split, int parts) {
        List<RawFile> raw = split.convertToRawFiles().orElseThrow();
        List<PaimonFileSplit> result = new ArrayList<>();
        for (int i = 0; i < raw.size(); i++) {
            RawFile file = raw.get(i);
            int index = i;
            Optional<DeletionVectorLocation> deletions =
                    split.deletionFiles()
                            .flatMap(all -> Optional.ofNullable(all.get(index)))
                            .map(FileRowsOracle::location);
            for (int part = 0; part < parts; part++) {
                long start = file.length() * part / parts;
                long end = file.length() * (part + 1) / parts;
                result.add(
                        new PaimonFileSplit(
                                file.path(),
                                file.format(),
                                start,
                                end - start,
                                file.length(),
                                file.rowCount(),
                                file.schemaId(),
                                deletions,
                                Optional.empty(),
                                file.path(),
                                SplitWeight.standard()));
            }
        }
        return result;
    }

    private static DeletionVectorLocation location(DeletionFile file) {
        Long cardinality = file.cardinality();
        return new DeletionVectorLocation(
                file.path(), file.offset(), file.length(), cardinality == null ? -1 : cardinality);
    }

    private static String text(List<Type> types, Page page, int position) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < types.size(); i++) {
            text.append(i == 0 ? "" : " | ")
                    .append(text(types.get(i).getObjectValue(page.getBlock(i), position)));
        }
        return text.toString();
    }

    private static String text(@Nullable Object value) {
        return switch (value) {
            case null -> "null";
            case List<?> list -> list.stream().map(FileRowsOracle::text).toList().toString();
            case java.util.Map<?, ?> map ->
                    map.entrySet().stream()
                            .map(entry -> text(entry.getKey()) + "=" + text(entry.getValue()))
                            .sorted()
                            .toList()
                            .toString();
            default -> value.toString();
        };
    }
}
