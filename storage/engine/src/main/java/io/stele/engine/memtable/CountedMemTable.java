package io.stele.engine.memtable;

/** A memtable of one part, which counts what it was given. */
abstract sealed class CountedMemTable implements MemTable
        permits KeyedMemTable, HashedMemTable, AppendMemTable {
    private final MemTableTotals totals = new MemTableTotals();
    private final int schemaVersion;

    CountedMemTable(int schemaVersion) {
        this.schemaVersion = schemaVersion;
    }

    /** For the writer, before it puts a version in. */
    final MemTableTotals totals() {
        return totals;
    }

    @Override
    public final int schemaVersion() {
        return schemaVersion;
    }

    @Override
    public final long sizeBytes() {
        return totals.sizeBytes();
    }

    @Override
    public final long versionCount() {
        return totals.versionCount();
    }

    @Override
    public final long minLogLsn() {
        return totals.minLogLsn();
    }

    @Override
    public final long maxLsn() {
        return totals.maxLsn();
    }
}
