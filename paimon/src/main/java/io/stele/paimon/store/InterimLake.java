package io.stele.paimon.store;

import com.google.inject.Inject;
import io.stele.paimon.config.PaimonConfig;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.fs.FileIO;
import org.apache.paimon.fs.local.LocalFileIO;
import org.apache.paimon.options.Options;

public final class InterimLake implements Lake {
    private final Catalog catalog;

    @Inject
    public InterimLake(PaimonConfig config) {
        Options options = new Options();
        options.set("warehouse", config.getWarehouse());
        options.set("cache-enabled", "false");
        catalog = CatalogFactory.createCatalog(CatalogContext.create(options));
    }

    @Override
    public Catalog catalog() {
        return catalog;
    }

    @Override
    public FileIO fileIO() {
        return LocalFileIO.create();
    }

    @Override
    public LakeFiles files() {
        throw new UnsupportedOperationException();
    }
}
