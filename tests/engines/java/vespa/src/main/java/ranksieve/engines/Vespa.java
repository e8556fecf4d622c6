package ranksieve.engines;

import ai.vespa.rankingexpression.importer.ImportedModel;
import ai.vespa.rankingexpression.importer.ModelImporter;
import ai.vespa.rankingexpression.importer.lightgbm.LightGBMImporter;
import ai.vespa.rankingexpression.importer.xgboost.XGBoostImporter;
import com.yahoo.searchlib.rankingexpression.RankingExpression;
import com.yahoo.searchlib.rankingexpression.evaluation.MapContext;
import java.nio.file.Files;
import java.nio.file.Path;

/** Vespa's importers of tree ensembles, and its evaluator of ranking expressions. */
public final class Vespa implements Engine, Engines {
    @Override
    public Engine get(String name) {
        return name.equals("vespa") ? this : null;
    }

    @Override
    public Scorer load(String kind, String model, String[] names) throws Exception {
        RankingExpression expression = switch (kind) {
            case "lightgbm" -> imported(new LightGBMImporter(), model);
            case "xgboost" -> imported(new XGBoostImporter(), model);
            case "expression" -> new RankingExpression(model);
            default -> throw new IllegalArgumentException("Vespa has no kind of model " + kind);
        };
        return values -> {
            MapContext context = new MapContext();
            for (int feature = 0; feature < names.length; feature++) {
                context.put(names[feature], values[feature]);
            }
            return Double.toString(expression.evaluate(context).asDouble());
        };
    }

    private static RankingExpression imported(ModelImporter importer, String model) throws Exception {
        Path file = Files.createTempFile("model", ".json");
        try {
            Files.writeString(file, model);
            if (!importer.canImport(file.toString())) {
                throw new IllegalArgumentException(
                    importer.getClass().getSimpleName() + " does not take this for a model of its own");
            }
            ImportedModel imported = importer.importModel("model", file.toString());
            return imported.expressions().values().iterator().next();
        } finally {
            Files.delete(file);
        }
    }
}
