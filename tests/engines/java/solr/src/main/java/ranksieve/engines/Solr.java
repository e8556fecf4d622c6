package ranksieve.engines;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.solr.common.util.Utils;
import org.apache.solr.core.SolrResourceLoader;
import org.apache.solr.ltr.model.LTRScoringModel;
import org.apache.solr.ltr.store.rest.ManagedFeatureStore;
import org.apache.solr.ltr.store.rest.ManagedModelStore;
import org.apache.solr.rest.ManagedResourceStorage;

/**
 * Solr's models, loaded by its model store from the JSON that is uploaded.
 *
 * <p>solr runs the classes of the pinned version; solr9 is that and our evaluator of what trees do
 * with missing values since 9.2; solr/embedded is a whole server.
 */
public final class Solr implements Engines {
    @Override
    public Engine get(String name) {
        return switch (name) {
            case "solr" -> (kind, text, names) -> kind.equals("embedded")
                ? new EmbeddedSolr(text, names) : new Model(text, names);
            case "solr9" -> (kind, text, names) -> Solr9Trees.load(text, names);
            default -> null;
        };
    }

    /** A model of the pinned version; a missing value is 0, the default of Solr's features. */
    static class Model implements Engine.Scorer {
        final LTRScoringModel model;
        private final int[] columns;

        Model(String text, String[] names) throws Exception {
            this(map(text), names);
        }

        Model(Map<String, Object> description, String[] names) throws Exception {
            SolrResourceLoader loader = new SolrResourceLoader(Path.of("").toAbsolutePath());
            ManagedFeatureStore features = new ManagedFeatureStore(
                ManagedFeatureStore.REST_END_POINT, loader, new ManagedResourceStorage.InMemoryStorageIO());
            Object store = description.getOrDefault("store", "_DEFAULT_");
            for (String name : names) {
                features.addFeature(new HashMap<>(feature(name)), (String) store);
            }
            model = ManagedModelStore.fromLTRScoringModelMap(loader, description, features);
            List<String> order = List.of(names);
            columns = model.getFeatures().stream().mapToInt(feature -> order.indexOf(feature.getName())).toArray();
        }

        private static Map<String, Object> feature(String name) {
            return Map.of("name", name, "class", "org.apache.solr.ltr.feature.ValueFeature",
                "params", Map.of("value", 1));
        }

        @SuppressWarnings("unchecked")
        static Map<String, Object> map(String text) {
            return (Map<String, Object>) Utils.fromJSONString(text);
        }

        /** The values of the model's features, in its order. */
        float[] vector(double[] values, float missing) {
            float[] vector = new float[columns.length];
            for (int feature = 0; feature < columns.length; feature++) {
                double value = values[columns[feature]];
                vector[feature] = Double.isNaN(value) ? missing : (float) value;
            }
            return vector;
        }

        @Override
        public String score(double[] values) {
            float[] vector = vector(values, 0);
            model.normalizeFeaturesInPlace(vector);
            return Float.toString(model.score(vector));
        }
    }
}
