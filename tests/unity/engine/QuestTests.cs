using Arwarden.Core;
using Arwarden.Quest;
using Arwarden.Unity;
using Meta.XR;
using NUnit.Framework;
using UnityEngine;
using UnityEngine.Android;

namespace Arwarden.EngineTests
{
    [TestFixture]
    internal sealed class QuestTests : Stage
    {
        private const int OverlayLayer = ArwardenSettings.DefaultOverlayLayer;

        private PassthroughCompositor _compositor;

        [SetUp]
        public void SetHeadset()
        {
            PassthroughCameraAccess.Supported = true;
            PassthroughCameraAccess.Asked = 0;
            PassthroughCameraAccess.IsForeign = false;
        }

        private void AddCompositor(bool granted)
        {
            if (granted)
            {
                Permission.Granted.Add(CameraPermission.Name);
            }
            AddClient();
            _compositor = Client.gameObject.AddComponent<PassthroughCompositor>();
            Frames(0.05);
        }

        private PassthroughCameraAccess Access
        {
            get { return Called("arwarden camera access").GetComponent<PassthroughCameraAccess>(); }
        }

        /// <summary>A picture is announced in one frame and there in the next.</summary>
        private bool Picture(out CameraView view)
        {
            Access.IsPlaying = true;
            Access.CurrentResolution = new Vector2Int(1280, 960);
            Access.IsUpdatedThisFrame = true;
            Frames(FrameS);
            Access.IsUpdatedThisFrame = false;
            Assert.That(_compositor.Compose(OverlayLayer, out view), Is.False, "not in the frame that announces it");
            Frames(FrameS);
            return _compositor.Compose(OverlayLayer, out view);
        }

        [Test]
        public void ThePermissionIsAskedForOnce()
        {
            AddCompositor(false);
            Frames(1);
            Assert.That(Permission.Asked, Has.Count.EqualTo(1));
            Assert.That(Permission.Asked[0].Key, Is.EqualTo("horizonos.permission.HEADSET_CAMERA"));
            Assert.That(_compositor.Permission, Is.EqualTo(PermissionState.Asked));
            Assert.That(_compositor.Problem, Is.Null, "the wearer is still thinking");
            Assert.That(Called("arwarden camera access") == null, Is.True);
            Permission.Granted.Add(CameraPermission.Name);
            Permission.Asked[0].Value.Answer(CameraPermission.Name, true);
            Frames(0.1);
            Assert.That(Access.enabled, Is.True);
        }

        [Test]
        public void APermissionThatSomebodyElseGotIsSeen()
        {
            AddCompositor(false);
            Permission.Granted.Add(CameraPermission.Name);
            Frames(1.1);
            Assert.That(_compositor.Permission, Is.EqualTo(PermissionState.Granted));
            int looks = Permission.Looks;
            Frames(5);
            Assert.That(Permission.Looks, Is.EqualTo(looks), "the system is not asked in every frame");
        }

        [Test]
        public void ADeniedPermissionIsVisibleAndCanBeMended()
        {
            AddCompositor(false);
            Permission.Asked[0].Value.Answer(CameraPermission.Name, false);
            Frames(0.1);
            Assert.That(_compositor.Problem, Contains.Substring("denied"));
            Assert.That(_compositor.Picture == null, Is.True);
            Frames(5);
            Assert.That(Permission.Asked, Has.Count.EqualTo(1), "the wearer is not asked again and again");
            Permission.Granted.Add(CameraPermission.Name);
            StubEngine.CallAll("OnApplicationFocus", true);
            Frames(0.1);
            Assert.That(_compositor.Problem, Is.Null);
            Assert.That(Access.enabled, Is.True);
        }

        [Test]
        public void AQuestionWithoutAnAnswerIsVisibleAndAskedOnceMore()
        {
            AddCompositor(false);
            Permission.Asked[0].Value.Dismiss(CameraPermission.Name);
            Frames(5);
            Assert.That(_compositor.Permission, Is.EqualTo(PermissionState.Unanswered));
            Assert.That(_compositor.Problem, Contains.Substring("not answered"));
            Assert.That(Permission.Asked, Has.Count.EqualTo(1), "not while the wearer goes on");
            for (int i = 0; i < 3; i++)
            {
                StubEngine.CallAll("OnApplicationFocus", true);
                Frames(0.1);
                Permission.Asked[Permission.Asked.Count - 1].Value.Dismiss(CameraPermission.Name);
            }
            Assert.That(Permission.Asked, Has.Count.EqualTo(2));
            Frames(0.1);
            Assert.That(_compositor.Problem, Contains.Substring("not answered"));
            Permission.Granted.Add(CameraPermission.Name);
            Frames(1.1);
            Assert.That(_compositor.Problem, Is.Null);
            Assert.That(Access.enabled, Is.True);
        }

        [Test]
        public void AnotherHeadsetSaysSo()
        {
            PassthroughCameraAccess.Supported = false;
            AddCompositor(true);
            Assert.That(_compositor.Problem, Contains.Substring("Quest 3"));
            Assert.That(Permission.Asked, Is.Empty);
        }

        [Test]
        public void AHeadsetOfAnotherMakerSaysSo()
        {
            PassthroughCameraAccess.IsForeign = true;
            AddCompositor(true);
            Assert.That(_compositor.Problem, Contains.Substring("Quest 3"));
            Frames(1);
            Assert.That(_compositor.Problem, Contains.Substring("Quest 3"));
        }

        [Test]
        public void TheSystemIsNotAskedInEveryFrame()
        {
            PassthroughCameraAccess.Supported = false;
            AddCompositor(true);
            Frames(5);
            Assert.That(PassthroughCameraAccess.Asked, Is.InRange(1, 6));
            PassthroughCameraAccess.Supported = true;
            Frames(1.1);
            Assert.That(_compositor.Problem, Is.Null, "the toolkit was not ready yet");
            int asked = PassthroughCameraAccess.Asked;
            Frames(5);
            Assert.That(PassthroughCameraAccess.Asked, Is.EqualTo(asked));
        }

        [Test]
        public void ACameraThatSomebodyElseHadIsTriedAgain()
        {
            AddCompositor(true);
            Access.enabled = false;
            Frames(0.1);
            Assert.That(_compositor.Problem, Contains.Substring("does not start"));
            Frames(8.1);
            Assert.That(Access.enabled, Is.True);
            Assert.That(_compositor.Problem, Contains.Substring("does not start"), "until it really does");
            CameraView view;
            Assert.That(Picture(out view), Is.True);
            Assert.That(_compositor.Problem, Is.Null);
        }

        [Test]
        public void APauseIsNotTheCamerasFault()
        {
            AddCompositor(true);
            CameraView view;
            Picture(out view);
            Frames(20);
            StubEngine.CallAll("OnApplicationPause", true);
            Access.IsPlaying = false;
            StubEngine.CallAll("OnApplicationPause", false);
            Frames(1);
            Assert.That(_compositor.Problem, Is.Null);
            Assert.That(_compositor.Compose(OverlayLayer, out view), Is.False);
        }

        [Test]
        public void AnAppAsSlowAsTheCameraIsStillStreamed()
        {
            AddCompositor(true);
            CameraView view;
            Picture(out view);
            int drawn = 0;
            for (int i = 0; i < 10; i++)
            {
                Access.IsUpdatedThisFrame = true;
                Access.At = new Pose(new Vector3(i, 0, 0), Quaternion.identity);
                Frames(FrameS);
                drawn += _compositor.Compose(OverlayLayer, out view) ? 1 : 0;
            }
            Assert.That(drawn, Is.EqualTo(9));
            Assert.That(view.Pose.Position.X, Is.EqualTo(8).Within(1e-6), "the picture's own, not the next one's");
        }

        [TestCase(~0, 0)]
        [TestCase(1 << 5 | 1 << 9, 5)]
        [TestCase(1 << OverlayLayer, 0)]
        [TestCase(0, 0)]
        public void TheBackdropBringsNoOtherLayerAlong(int layers, int expected)
        {
            var mask = new LayerMask { value = layers };
            int drawn = StreamCamera.Mask(mask, OverlayLayer);
            Assert.That(StreamCamera.LayerOf(drawn, OverlayLayer), Is.EqualTo(expected));
            Assert.That(StreamCamera.LayerOf(0, 0), Is.EqualTo(1));
        }

        [Test]
        public void ACameraThatDoesNotStartIsSaid()
        {
            AddCompositor(true);
            Assert.That(_compositor.Problem, Is.Null);
            Frames(8.1);
            Assert.That(_compositor.Problem, Contains.Substring("does not start"));
            CameraView view;
            Picture(out view);
            Assert.That(_compositor.Problem, Is.Null, "it came after all");
            Access.IsPlaying = false;
            Access.enabled = false;
            Frames(0.1);
            Assert.That(_compositor.Problem, Contains.Substring("does not start"));
        }

        [Test]
        public void TheCameraIsSetUpBeforeItRuns()
        {
            AddCompositor(true);
            Assert.That(Access.MaxFramerate, Is.EqualTo(30));
            Assert.That(Access.CameraPosition, Is.EqualTo(PassthroughCameraAccess.CameraPositionType.Left));
            Assert.That(Debug.Lines.FindAll(line => line.StartsWith("error", System.StringComparison.Ordinal)), Is.Empty);
        }

        [Test]
        public void TheAppIsDrawnOverThePassthroughPicture()
        {
            AddCompositor(true);
            AddThing("cup", new Vector3(0, 1.6f, 2));
            var warning = new GameObject("warning") { layer = OverlayLayer };
            warning.AddComponent<MeshRenderer>();
            CameraView view;
            Assert.That(Picture(out view), Is.True);
            Assert.That(
                Camera.Renders, Is.EqualTo(new[] { "arwarden passthrough camera: arwarden backdrop, cup" }));
            Assert.That(IsSeen("arwarden backdrop"), Is.False, "the wearer never sees it");
            Assert.That(_compositor.Compose(OverlayLayer, out view), Is.False, "one picture is drawn once");
            Assert.That(_compositor.View, Is.EqualTo(View.Composited));
            Assert.That(_compositor.Picture.width, Is.EqualTo(1280));
            Assert.That(_compositor.Picture.height, Is.EqualTo(960));
        }

        [Test]
        public void ThePoseIsThePicturesOwn()
        {
            AddCompositor(true);
            Access.At = new Pose(new Vector3(0.03f, 1.6f, 0.1f), Quaternion.Euler(0, 30, 0));
            CameraView view;
            Picture(out view);
            Assert.That(view.Pose.Position.X, Is.EqualTo(0.03).Within(1e-6));
            Assert.That(Angles.YawDeg(view.Pose.Forward), Is.EqualTo(30).Within(1e-4));
            Assert.That(view.Left, Is.EqualTo(-0.8).Within(1e-5));
            Assert.That(view.Right, Is.EqualTo(0.7).Within(1e-5));
            Assert.That(view.Bottom, Is.EqualTo(-0.6).Within(1e-5));
            Assert.That(view.Top, Is.EqualTo(0.65).Within(1e-5));
            Camera camera = Called("arwarden passthrough camera").GetComponent<Camera>();
            Assert.That(camera.projectionMatrix.Left, Is.EqualTo(-0.8f).Within(1e-4f));
            Assert.That(camera.projectionMatrix.Top, Is.EqualTo(0.65f).Within(1e-4f));
            Assert.That(camera.transform.position.x, Is.EqualTo(0.03f).Within(1e-6f));
            Assert.That(camera.enabled, Is.False, "it draws only when it is told to");
            Vector3 corner = Called("arwarden backdrop").GetComponent<MeshFilter>().sharedMesh.vertices[0];
            Assert.That(corner.x / corner.z, Is.EqualTo(-0.8f).Within(1e-4f));
            Assert.That(corner.z, Is.LessThan(camera.farClipPlane));
        }

        [Test]
        public void ARigThatWasMovedTakesTheCameraAlong()
        {
            AddCompositor(true);
            Transform rig = new GameObject("rig").transform;
            Head.SetParent(rig, false);
            rig.SetPositionAndRotation(new Vector3(10, 0, 0), Quaternion.Euler(0, 90, 0));
            Access.At = new Pose(new Vector3(0.03f, 1.6f, 0.1f), Quaternion.identity);
            CameraView view;
            Picture(out view);
            Assert.That(view.Pose.Position.X, Is.EqualTo(10.1).Within(1e-4));
            Assert.That(Angles.YawDeg(view.Pose.Forward), Is.EqualTo(90).Within(1e-3));
            Assert.That(view.Left, Is.EqualTo(-0.8).Within(1e-5));
        }

        [Test]
        public void TheBackdropHasTheCamerasPicture()
        {
            AddCompositor(true);
            CameraView view;
            Picture(out view);
            Material material = Called("arwarden backdrop").GetComponent<MeshRenderer>().sharedMaterial;
            Assert.That(material.mainTexture == Access.Picture, Is.True);
        }

        [Test]
        public void ANewSceneEndsNoPictures()
        {
            AddCompositor(true);
            CameraView view;
            Picture(out view);
            UnityEngine.Object.Destroy(Called("arwarden passthrough camera"));
            Assert.That(Picture(out view), Is.True);
            Assert.That(Called("arwarden passthrough camera") != null, Is.True);
        }

        [Test]
        public void SwitchedOffNothingIsLeft()
        {
            AddCompositor(true);
            CameraView view;
            Picture(out view);
            RenderTexture picture = _compositor.Picture;
            _compositor.enabled = false;
            Assert.That(Access.enabled, Is.False);
            Assert.That(Called("arwarden backdrop") == null, Is.True);
            Assert.That(Called("arwarden passthrough camera") == null, Is.True);
            Assert.That(picture.Exists, Is.False);
            _compositor.enabled = true;
            Frames(0.1);
            Assert.That(Access.enabled, Is.True);
            Assert.That(Picture(out view), Is.True);
        }

        [Test]
        public void ANonsensicalCameraIsNotDrawn()
        {
            AddCompositor(true);
            Access.UpperRight = Access.LowerLeft;
            CameraView view;
            Assert.That(Picture(out view), Is.False);
        }
    }

    [TestFixture]
    internal sealed class EditorTests : Stage
    {
        [Test]
        public void TheProjectIsLookedAt()
        {
            Values.WhipUrl = "http://192.0.2.1:8080/whip";
            UnityEditor.AssetDatabase.Asset = ArwardenSettings.From(Values);
            UnityEditor.EditorUserBuildSettings.activeBuildTarget = UnityEditor.BuildTarget.Android;
            UnityEditor.PlayerSettings.Backend = UnityEditor.ScriptingImplementation.IL2CPP;
            UnityEditor.PlayerSettings.Android.targetArchitectures = UnityEditor.AndroidArchitecture.ARM64;
            UnityEditor.PlayerSettings.Android.forceInternetPermission = true;
            UnityEditor.PlayerSettings.insecureHttpOption = UnityEditor.InsecureHttpOption.AlwaysAllowed;
            UnityEditor.PlayerSettings.runInBackground = true;
            LayerMask.Names[ArwardenSettings.DefaultOverlayLayer] = SetupCheck.OverlayLayerName;
            SetupFacts facts = Editor.SetupMenu.Facts();
            Assert.That(facts.HasSettings && facts.UsesIl2Cpp && facts.BuildsArm64 && facts.HasWebRtc, Is.True);
            Editor.SetupMenu.Check();
            Assert.That(Debug.Lines, Is.EqualTo(new[]
            {
                "error arwarden: the Android manifest must ask for horizonos.permission.HEADSET_CAMERA",
                "log arwarden: 1 to mend",
            }));
        }

        [Test]
        public void WithoutSettingsThatIsTheFirstThing()
        {
            UnityEditor.AssetDatabase.Asset = null;
            Editor.SetupMenu.Check();
            Assert.That(Debug.Lines[0], Contains.Substring("no settings asset"));
        }

        [Test]
        public void TheSettingsSayWhatIsWrongWithThem()
        {
            Values.BrokerHost = "";
            Values.WhipToken = "t";
            UnityEditor.EditorGUILayout.Boxes.Clear();
            var inspector = new Editor.SettingsInspector { target = ArwardenSettings.From(Values) };
            inspector.OnInspectorGUI();
            Assert.That(UnityEditor.EditorGUILayout.Boxes[0], Contains.Substring("Error the broker host"));
            Assert.That(UnityEditor.EditorGUILayout.Boxes[1], Contains.Substring("Info whoever has the app"));
        }

        [Test]
        public void AMenuPutsTheComponentsIntoTheScene()
        {
            Editor.SetupMenu.AddClient();
            GameObject made = UnityEditor.Selection.activeGameObject;
            Assert.That(made.GetComponent<ArwardenClient>() != null, Is.True);
            Assert.That(made.GetComponent<WarningOverlay>() != null, Is.True);
            Frames(0.1);
        }
    }
}
